/* sections.js - the collapsed sections of the page: they open for a link to
   something in them, on paper, and all at once by a button */
const sections = (() => {
  const all = () => [...document.querySelectorAll("details.part")];

  /* The element that a fragment of an address names, or null. */
  function target_of(hash) {
    try {
      return document.getElementById(decodeURIComponent(hash.slice(1)));
    } catch (malformed) {
      return null;
    }
  }

  /* Opens the section of an element.  Browsers do that for the target of a
     link only since 2022 to 2025. */
  function reveal(element) {
    const section = element && element.closest("details.part");
    if (!section || section.open)
      return false;
    section.open = true;
    return true;
  }

  function follow() {
    const target = target_of(location.hash);
    if (reveal(target))
      target.scrollIntoView();
  }

  /* Figures that the script makes have no drawing until they are woken. */
  function opened(section) {
    if (section.open)
      for (const view of views.all)
        if (view.made && section.contains(view.svg))
          views.wake(view);
  }

  function on_paper() {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = all().filter((section) => !section.open);
      closed.forEach((section) => { section.open = true; });
    });
    addEventListener("afterprint", () => {
      closed.forEach((section) => { section.open = false; });
    });
  }

  function add_button() {
    const button = tools.button(document.querySelector(".tools.all"), "", "",
                                () => {
      const open = all().some((section) => !section.open);
      all().forEach((section) => { section.open = open; });
      name(open);
    });
    const name = (open) => {
      button.textContent = "";
      words.both(button, open ? "close all sections" : "open all sections",
                 open ? "收起所有章节" : "展开所有章节");
    };
    button.dataset.tool = "sections";
    name(false);
  }

  function start() {
    all().forEach((section) => section.addEventListener(
      "toggle", () => opened(section)));
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (link)
        reveal(target_of(link.hash));
    });
    addEventListener("hashchange", follow);
    on_paper();
    add_button();
    follow();
  }

  return { start };
})();
