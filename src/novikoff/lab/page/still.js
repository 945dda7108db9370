// A plane that only shows: rows at places that Python worked out.

import { html, nothing, svg } from "./vendor/lit-html.js";
import { grid, mapOf, sign } from "./plane.js";

/** @typedef {import("./plane.js").Map} Map */
/** @typedef {import("./types.js").Frame} Frame */

/** @param {{label: string, frame: Frame, names: string[], rows: number[][], kinds: number[], below?: (map: Map) => any, legend?: any}} picture */
export function still(picture) {
  const map = mapOf(picture.frame);
  return html`<figure class="plane"><svg viewBox=${`0 0 ${map.width} ${map.height}`} role="img" aria-label=${picture.label}>
    ${grid(map, picture.names)} ${picture.below?.(map) ?? nothing}
    ${picture.rows.map(([x, y], row) => svg`<g transform=${`translate(${map.px(x)} ${map.py(y)})`}>${sign(picture.kinds[row])}</g>`)}</svg>
    <figcaption>${picture.legend ?? nothing}</figcaption></figure>`;
}
