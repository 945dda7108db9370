// JSON as short text, and back: compressed, in letters that addresses may have. So is a scene in an address.

/** @typedef {import("./types.js").Scene} Scene */

const MOST_LETTERS = 60000;

/** @param {Uint8Array} bytes @param {any} through */
async function passed(bytes, through) {
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Anything as text that addresses may have. @param {any} value @returns {Promise<string>} */
export async function packed(value) {
  const bytes = await passed(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The end of an address that shows this scene. @param {Scene} scene @returns {Promise<string>} */
export async function fragmentOf(scene) {
  return "#s=" + (await packed(scene));
}

/** What was packed into a text. @param {string} text @returns {Promise<any>} */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await passed(bytes, new DecompressionStream("deflate-raw"))));
}

/** The scene of an address; null if there is none in it. @param {string} fragment @returns {Promise<any>} */
export async function sceneOf(fragment) {
  return await afterSign(fragment, "#s=");
}

/** What an address has after a sign; null if nothing that can be read. @param {string} fragment @param {string} sign @returns {Promise<any>} */
export async function afterSign(fragment, sign) {
  if (!fragment.startsWith(sign) || fragment.length > MOST_LETTERS) return null;
  try {
    return await unpacked(fragment.slice(3));
  } catch {
    return null;
  }
}
