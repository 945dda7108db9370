// Files that the browser saves.

/** @param {string} name @param {string | Uint8Array} content */
export function download(name, content) {
  const link = document.createElement("a");
  const type = typeof content === "string" ? "text/plain" : "application/octet-stream";
  link.href = URL.createObjectURL(new Blob([/** @type {any} */ (content)], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
