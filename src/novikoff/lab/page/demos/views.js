// The views of the demonstrations by name: a new one is two lines here.

import { view as boolean } from "./boolean.js";
import { view as bound } from "./bound.js";
import { view as classes } from "./classes.js";
import { view as descent } from "./descent.js";
import { view as features } from "./features.js";
import { view as inseparable } from "./inseparable.js";
import { view as kernel } from "./kernel.js";
import { view as losses } from "./losses.js";
import { view as neuron } from "./neuron.js";
import { view as passes } from "./passes.js";
import { view as perceptron } from "./perceptron.js";
import { view as regression } from "./regression.js";
import { view as rules } from "./rules.js";
import { view as separation } from "./separation.js";
import { view as shattering } from "./shattering.js";
import { view as support } from "./support.js";
import { view as verdict } from "./verdict.js";

/** @type {Record<string, (lab: import("../types.js").Lab) => any>} */
export const VIEWS = { boolean, bound, classes, descent, features, inseparable, kernel, losses, neuron, passes, perceptron, regression, rules, separation, shattering, support, verdict };
