// Regions with curved borders, as Python found them.

import { svg } from "./vendor/lit-html.js";

/** @typedef {import("./plane.js").Map} Map */

/** What lies inside an odd number of these closed lines. @param {Map} map @param {number[][][]} loops */
export function regions(map, loops) {
  const path = loops.map((loop) => `M${loop.map(([x, y]) => `${map.px(x).toFixed(1)} ${map.py(y).toFixed(1)}`).join("L")}Z`).join("");
  return svg`<path class="region class-1 curved" fill-rule="evenodd" d=${path}></path>`;
}
