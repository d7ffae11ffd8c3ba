/* tools.js - the row of buttons below a figure */
const tools = (() => {
  /* Adds a button at the beginning of the row. */
  function button(row, en, zh, action) {
    const out = document.createElement("button");
    out.type = "button";
    if (en === zh)
      out.textContent = en;
    else
      words.both(out, en, zh);
    out.addEventListener("click", action);
    row.prepend(out);
    return out;
  }

  /* A button that is on or off.  label: [en, zh], for screen readers. */
  function toggle(row, tool, en, zh, label, action) {
    const out = button(row, en, zh, () => {
      const on = out.getAttribute("aria-pressed") !== "true";
      out.setAttribute("aria-pressed", on);
      action(on);
    });
    out.setAttribute("aria-pressed", "false");
    out.dataset.tool = tool;
    return words.label(out, ...label);
  }

  /* Shows the result of a check in the row: a short text, green if 'ok'. */
  function badge(view, ok, en, zh) {
    let out = view.tools.querySelector(".badge");
    if (!out) {
      out = document.createElement("span");
      view.tools.prepend(out);
    } else if (out.dataset.en !== en) {
      tell(words.say(en, zh));
    }
    out.dataset.en = en;
    out.className = `badge ${ok ? "passed" : "plain"}`;
    out.textContent = "";
    words.both(out, `${ok ? "\u2713 " : ""}${en}`, `${ok ? "\u2713 " : ""}${zh}`);
  }

  /* The badge of a bias, which with a wrong sign would favour distant keys. */
  const sign = (falls) => falls
    ? [true, "sign: never above 0, falls with distance",
       "符号：不大于 0，随距离下降"]
    : [false, "sign: not one of a penalty of distance",
       "符号：并非对距离的惩罚"];

  let status;

  /* Has a screen reader say a text: the only live region of the page. */
  function tell(text) {
    status.textContent = text;
  }

  /* Adds the row, with a text that describes the pin. */
  function add(view) {
    view.tools = document.createElement("div");
    view.tools.className = "tools";
    view.output = document.createElement("span");
    view.output.className = "said";
    view.tools.append(view.output);
    view.svg.after(view.tools);
  }

  /* Rows are added at once, so that nothing moves when buttons are added. */
  function start() {
    status = document.createElement("p");
    status.className = "heard";
    status.setAttribute("aria-live", "polite");
    document.querySelector("main").append(status);
    views.all.forEach(add);
  }

  return { start, button, toggle, badge, sign, tell };
})();
