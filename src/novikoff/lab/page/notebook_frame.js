// The page within a notebook (anywidget): a frame of its own, and a channel through which the notebook's Python answers.

/** @typedef {{get: (name: string) => any, send: (content: any) => void, on: (name: string, heard: (content: any) => void) => void,
 *   off: (name: string, heard: (content: any) => void) => void}} Model */

export default {
  /** @param {{model: Model, el: HTMLElement}} given */
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads"); // no part of the notebook's page is open to it
    frame.title = "novikoff lab";
    frame.style.cssText = `width: 100%; height: ${Number(model.get("height"))}px; border: 0`;
    /** @type {MessagePort | undefined} */
    let port;
    const heard = (/** @type {any} */ content) => port?.postMessage(content);
    frame.addEventListener("load", () => {
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = (event) => model.send(event.data);
      frame.contentWindow?.postMessage("novikoff lab", "*", [channel.port2]);
    });
    model.on("msg:custom", heard);
    frame.srcdoc = model.get("page");
    el.append(frame);
    return () => model.off("msg:custom", heard);
  },
};
