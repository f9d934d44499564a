/* The search without a server. Browsers start no Worker from a page that was opened as a file; a hidden frame that loads
 * the same program does as well. The theme looks for the name IFrameWorker, and would fetch one from the web.
 */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc =
        "<script>postMessage = (data) => parent.postMessage(data, '*');" +
        "importScripts = (...files) => files.reduce((before, file) => before.then(() => new Promise((done) => {" +
        "const one = document.createElement('script'); one.src = file; one.onload = done;" +
        "document.body.append(one); })), Promise.resolve());</" +
        `script><body><script src="${new URL(address, location.href)}"></` +
        "script>";
      this.frame.addEventListener("load", () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
      addEventListener("message", (event) => {
        if (event.source === this.frame.contentWindow) {
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        }
      });
      document.body.append(this.frame);
    }

    /** Messages that arrive before the program is loaded wait. */
    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
      } else {
        // Not its postMessage: that is what the program answers with.
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      }
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
