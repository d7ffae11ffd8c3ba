/*
 * words.js - the two languages of the page.
 *
 * What is written in both stands in the page twice, as .en and .zh, and two
 * radio buttons decide which is seen, with or without a script; <html lang>
 * follows them here.  What is written anew (what a pointer is
 * at, what a screen reader says) asks language() and is told of a change.
 */
const words = (() => {
  const changed = [];

  function language() {
    return document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  }

  /* One of two texts. */
  function say(en, zh) {
    return language() === "zh" ? zh : en;
  }

  /* Both, as elements of which one is seen. */
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
    for (const action of changed)
      action();
  }

  /* What the address asks for, else what the browser prefers. */
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

  return { language, say, both, label, set, start, changed };
})();
