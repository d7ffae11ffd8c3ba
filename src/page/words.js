/*
 * words.js - the two languages of the page.
 *
 * A text in both languages is in the page twice, as .en and .zh.  Two radio
 * buttons decide which one is shown, with or without a script; the script makes
 * <html lang> follow them.  A text that the script writes in one language (a
 * tip, a name for screen readers) is chosen by say(); functions in on_change
 * are called to write it again.
 */
const words = (() => {
  const on_change = [];

  function language() {
    return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  }

  /* The text in the language of the page. */
  function say(en, zh) {
    return language() === "zh" ? zh : en;
  }

  /* Appends both texts, of which the page shows one. */
  function both(parent, en, zh) {
    for (const [name, text] of [["en", en], ["zh", zh]]) {
      const span = document.createElement("span");
      span.className = name;
      span.textContent = text;
      parent.append(span);
    }
    return parent;
  }

  /* A name that only screen readers see. */
  function label(element, en, zh) {
    element.dataset.en = en;
    element.dataset.zh = zh;
    element.setAttribute("aria-label", say(en, zh));
    return element;
  }

  function set(name) {
    document.documentElement.lang = name === "zh" ? "zh-CN" : "en";
    document.getElementById("lang-" + name).checked = true;
    for (const element of document.querySelectorAll("[data-zh]")) {
      if (!element.dataset.en)
        element.dataset.en = element.getAttribute("aria-label");
      element.setAttribute("aria-label",
                           say(element.dataset.en, element.dataset.zh));
    }
    for (const action of on_change)
      action();
  }

  /* The language in the address (?lang=zh), or else that of the browser. */
  function first() {
    const asked = new URLSearchParams(location.search).get("lang");
    const preferred = asked || navigator.language || "en";
    return preferred.toLowerCase().startsWith("zh") ? "zh" : "en";
  }

  function start() {
    for (const radio of document.querySelectorAll("input[name=lang]"))
      radio.addEventListener("change", () => set(radio.id.slice(5)));
    set(first());
  }

  return { language, say, both, label, start, on_change };
})();
