/* copy.js - a button below each text that is meant to be pasted elsewhere */
const copy = (() => {
  /* The part of the element in the language that is shown.  Its innerText would
     be empty where the browser has not laid it out yet. */
  function shown(element) {
    return element.querySelector(`.${words.language()}`) || element;
  }

  /* For browsers that refuse navigator.clipboard to a page from a file. */
  function copy_selected(element) {
    const range = document.createRange();
    const selection = getSelection();
    range.selectNodeContents(shown(element));
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  }

  async function copy_text(element) {
    try {
      await navigator.clipboard.writeText(shown(element).textContent.trim());
      return true;
    } catch (refused) {
      return copy_selected(element);
    }
  }

  function add(element) {
    const row = document.createElement("div");
    const done = document.createElement("span");
    row.className = "tools";
    row.append(done);
    tools.button(row, "Copy", "复制", async () => {
      const copied = await copy_text(element);
      const said = copied ? ["copied", "已复制"]
                          : ["selected: press Ctrl-C", "已选中：请按 Ctrl-C"];
      done.textContent = "";
      words.both(done, ...said);
      tools.tell(words.say(...said));
    }).dataset.tool = "copy";
    element.after(row);
  }

  function start() {
    document.querySelectorAll("[data-copy]").forEach(add);
  }

  return { start };
})();
