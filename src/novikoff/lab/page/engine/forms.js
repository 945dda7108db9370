// How a rule for one output serves two classes or several: those of `novikoff.learn.forms`.

/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {"binary" | "worst" | "all" | "uniform" | "ovr"} Form */

/** @param {number} target @param {number} k */
const sign = (target, k) => (target === k ? 1 : -1);

/** The highest score of another class; the first of equals. @param {number} target @param {number[]} scores */
function bestRival(target, scores) {
  let rival = target === 0 ? 1 : 0;
  for (let k = rival + 1; k < scores.length; k++) if (k !== target && scores[k] > scores[rival]) rival = k;
  return rival;
}

/** By how much the true class leads. @param {number} target @param {number[]} scores */
const lead = (target, scores) => scores[target] - scores[bestRival(target, scores)];

/** How clearly the answer is right: a mistake is a margin that is not positive.
 * @param {Form} form @param {number} target @param {number[]} scores */
export function margin(form, target, scores) {
  if (form === "binary") return sign(target, 1) * scores[0];
  if (form === "ovr") return Math.min(...scores.map((score, k) => sign(target, k) * score));
  return lead(target, scores);
}

/** The class that is predicted: of one score class 1 if it is positive; else the first of the largest. @param {number[]} scores */
export function predicted(scores) {
  if (scores.length === 1) return scores[0] > 0 ? 1 : 0;
  return scores.reduce((best, score, k) => (score > scores[best] ? k : best), 0);
}

/** The step of every output, and how many mistakes this row is.
 * @param {Form} form @param {Rule} rule @param {number} target @param {number[]} scores @param {number} length2 of the row, its constant counted
 * @returns {{steps: number[], mistakes: number}} */
export function push(form, rule, target, scores, length2) {
  if (form === "binary") {
    const y = sign(target, 1);
    return { steps: [rule.step(y, scores[0], length2)], mistakes: Number(rule.mistaken ? rule.mistaken(y, scores[0]) : !(y * scores[0] > 0)) };
  }
  if (form === "ovr") {
    return {
      steps: scores.map((score, k) => rule.step(sign(target, k), score, length2)),
      mistakes: scores.filter((score, k) => !(sign(target, k) * score > 0)).length,
    };
  }
  const steps = scores.map(() => 0);
  const mistakes = lead(target, scores) > 0 ? 0 : 1;
  if (form === "worst") {
    const rival = bestRival(target, scores);
    const step = rule.step(1, scores[target] - scores[rival], 2 * length2);
    [steps[target], steps[rival]] = [step, step === 0 ? 0 : -step];
    return { steps, mistakes };
  }
  let [gain, total, rivals] = [0, 0, 0];
  scores.forEach((score, k) => {
    if (k === target) return;
    const part = rule.step(1, scores[target] - score, length2);
    if (part === 0) return;
    steps[k] = -part;
    [gain, total, rivals] = [Math.max(gain, part), total + part, rivals + 1];
  });
  if (form === "all") steps[target] = gain;
  else {
    steps[target] = total;
    if (rivals > 1) steps.forEach((step, k) => { steps[k] = step / rivals; });
  }
  return { steps, mistakes };
}
