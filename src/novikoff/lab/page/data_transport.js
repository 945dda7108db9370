// How files of the user's reach Python, and how work on them is asked for: it tells how far it has come, and can be cancelled.

const GONE = "Python does not answer: is novikoff lab still running?";

/** @param {string} address @param {RequestInit} more @returns {Promise<Response | null>} */
async function posted(address, more) {
  try {
    return await fetch(address, { method: "POST", ...more });
  } catch {
    return null;
  }
}

/** @param {Response} reply @returns {Promise<any>} */
async function told(reply) {
  const text = await reply.text();
  return reply.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : { error: text };
}

/** Send a file; null if it was cancelled. @param {File} file @param {AbortSignal} signal @returns {Promise<any>} */
export async function sendFile(file, signal) {
  const reply = await posted(`/data?name=${encodeURIComponent(file.name)}`, { headers: { "Content-Type": "application/octet-stream" }, body: file, signal });
  if (signal.aborted) return null;
  return reply ? told(reply) : { error: GONE };
}

/** Ask for work; null if it was cancelled. @param {any} message @param {(news: any) => void} onNews @param {AbortSignal} [signal]
 * @returns {Promise<any>} */
export async function work(message, onNews, signal) {
  const reply = await posted("/work", { headers: { "Content-Type": "application/json" }, body: JSON.stringify(message), signal });
  if (signal?.aborted) return null;
  if (!reply?.body) return { error: GONE };
  if (!reply.headers.get("content-type")?.startsWith("application/x-ndjson")) return told(reply);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return { error: GONE };
      const lines = (rest + value).split("\n");
      rest = lines.pop() || "";
      for (const line of lines) {
        const found = JSON.parse(line);
        if (found.news === undefined) return found;
        onNews(found.news);
      }
    }
  } catch {
    return signal?.aborted ? null : { error: GONE };
  }
}
