// The whole of Koya's script. Every page works the same without it.
(() => {
  const page = document, words = page.documentElement.dataset;
  const live = page.querySelector('#live');
  // Copy buttons are in the page, hidden: only a browser that can copy shows them. Blocks of
  // code in authors' texts get theirs here.
  if (navigator.clipboard) page.querySelectorAll('[data-copy] pre').forEach((block, place) => {
    const label = block.closest('[data-copy]').dataset.copy, box = page.createElement('div');
    const button = Object.assign(page.createElement('button'), {type: 'button', hidden: true, textContent: label, lang: page.documentElement.lang});
    button.className = 'copy';
    button.dataset.of = block.id ||= `block-${place}`;
    box.className = 'clip';
    block.replaceWith(box);
    box.append(block, button);
  });
  if (navigator.clipboard) page.querySelectorAll('.copy[hidden]').forEach(button => {
    button.hidden = false;
    // Without the prompts of a console.
    button.onclick = () => navigator.clipboard.writeText(page.getElementById(button.dataset.of).textContent.trim().replace(/^\$ /gm, '')).then(() => {
      const label = button.lastChild, was = label.data;
      label.data = live.textContent = words.copied;
      setTimeout(() => { label.data = was; live.textContent = ''; }, 1600);
    });
  });
  // "/" goes to the search box unless it is turned off (WCAG 2.1.4). Escape and a press outside close menus.
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
