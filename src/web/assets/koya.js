// Koya's script. Every page works without it.
(() => {
  const page = document, root = page.documentElement, words = root.dataset;
  const live = page.querySelector('#live');
  // Copy buttons: hidden in the page, or made here for authors' code.
  if (navigator.clipboard) {
    page.querySelectorAll('[data-copy] pre').forEach((block, place) => {
      const box = page.createElement('div'), button = page.createElement('button');
      block.id ||= 'block-' + place;
      box.className = 'clip';
      Object.assign(button, {type: 'button', className: 'copy', hidden: true, lang: root.lang, textContent: block.closest('[data-copy]').dataset.copy});
      button.dataset.of = block.id;
      block.replaceWith(box);
      box.append(block, button);
    });
    page.querySelectorAll('.copy[hidden]').forEach(button => {
      button.hidden = false;
      button.onclick = () => navigator.clipboard.writeText(page.getElementById(button.dataset.of).textContent.trim().replace(/^\$ /gm, '')).then(() => {
        const label = button.lastChild, was = label.data;
        label.data = live.textContent = words.copied;
        setTimeout(() => { label.data = was; live.textContent = ''; }, 1600);
      });
    });
  }
  // "/" goes to the search box unless turned off (WCAG 2.1.4).
  const menus = () => page.querySelectorAll('.menu[open]');
  page.addEventListener('keydown', event => {
    const at = event.target;
    if (event.key == 'Escape') menus().forEach(menu => { menu.open = false; menu.firstElementChild.focus(); });
    if (words.keys == 'off' || event.key != '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (at.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
    const box = page.querySelector('input[type=search]');
    if (box) { event.preventDefault(); box.focus(); box.select(); }
  });
  page.addEventListener('click', event => menus().forEach(menu => { if (!menu.contains(event.target)) menu.open = false; }));
})();
