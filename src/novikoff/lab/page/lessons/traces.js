// The scene of a trace that was saved by Python.

/** @param {any} given what `Trace.save` wrote @returns {any} a scene, not yet checked */
export function sceneOfTrace(given) {
  const { parameters = {}, classes } = given;
  const list = (/** @type {any} */ array) => (Array.isArray(array?.values) ? array.values : []);
  const [flat, y, before, labels] = [list(given.X), list(given.y), list(given.before), list(classes)];
  const width = given.X?.shape?.[1];
  const X = y.map((/** @type {any} */ _, /** @type {number} */ row) => flat.slice(row * width, (row + 1) * width));
  if (given.estimator !== "Perceptron" || labels.length !== 2 || X[0]?.length !== 2) throw new Error("The page shows traces of a Perceptron on two features and two classes.");
  const order = parameters.order === "auto" ? "shuffle" : parameters.order;
  if (!["cyclic", "shuffle", "random", "alternate", "worst"].includes(order)) throw new Error(`The page has no order ${order}.`);
  if (parameters.batch_size !== 1) throw new Error("The page steps through rows one at a time: trace with batch_size=1.");
  return { version: 1, demo: "perceptron", data: { X, y: y.map((/** @type {any} */ label) => Number(label === labels[1])), names: ["x₁", "x₂"], classes: labels.map(String) },
    parameters: { start: before.length ? before.slice(0, 3) : [0, 0, 0], eta: parameters.eta, order, seed: Number.isInteger(parameters.random_state) ? parameters.random_state : 0,
      bias: !parameters.fit_intercept ? "none" : parameters.intercept_scaling === "radius" ? "radius" : "one" },
    view: {} };
}
