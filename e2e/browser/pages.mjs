// Looks at pages with Debian's Chromium, the Content-Security-Policy in force, and tells what is wrong
// with them. One JSON document on standard input, one on standard output:
//
//   {"chromium": "/usr/bin/chromium", "looks": [
//     {"url": URL, "language": "ja", "theme": "dark", "cookies": [{"name", "value"}…],
//      "examine": [390, 1280],      // widths at which axe-core looks at it
//      "widths": [320, 390, 1280],  // widths at which it must not scroll sideways
//      "tree": true,                // whether to compare what there is with and without scripts
//      "pictures": [{"file", "width", "height", "scheme"}…]}…]}
//
// → {"version": "156.0…", "seen": [{"url", "status", "nodes", "requests", "shift", "faults": ["…"]}…]}, a
// row for each look, in order. A picture is taken of what stays the same from run to run (calm).
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { calm } from "./calm.mjs";

const plan = JSON.parse(readFileSync(0, "utf8"));
const STEP_MS = 30_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HEIGHT = 900;

// In the page: what axe-core finds. It is evaluated by the driver, which no policy hinders.
async function audit() {
  const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `axe ${id}: ${node.target.join(" ")}: ${node.html.slice(0, 160)}`));
}

// In the page: how far things have moved since it was shown.
async function shifted() {
  let sum = 0;
  const moved = [];
  const add = (list) => list.forEach((entry) => {
    sum += entry.value;
    moved.push(...entry.sources.map(({ node }) => node?.nodeName + (node?.className ? `.${node.className}` : "")));
  });
  const watch = new PerformanceObserver((list) => add(list.getEntries()));
  watch.observe({ type: "layout-shift", buffered: true });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  add(watch.takeRecords());
  watch.disconnect();
  return { sum, moved };
}

// The least of up to three visits. A table that is painted before its last rows arrive moves with
// them, now and then; what moves by itself does so on each visit.
async function leastShift(room, look) {
  let least = await room.page.evaluate(shifted);
  for (let times = 0; least.sum > 0 && times < 2; ++times) {
    await open(room, look);
    const seen = await room.page.evaluate(shifted);
    if (seen.sum < least.sum) least = seen;
  }
  return least;
}

async function overflows(session) {
  const { cssContentSize, cssLayoutViewport } = await session.send("Page.getLayoutMetrics");
  const more = cssContentSize.width - cssLayoutViewport.clientWidth;
  return more > 1 ? Math.round(more) : 0;
}

// Boxes and lines, which nobody is told of.
const UNTOLD = ["generic", "none", "InlineTextBox"];

// What assistive technology is told, a line for each thing.
async function tree(session, path) {
  // Numbers of the server itself, which each request moves.
  const counts = path === "/-/admin/health" ? /\d[\d,.]*/g : /(?!)/g;
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const told = (node) => (node.properties ?? [])
    .filter(({ name }) => ["level", "expanded", "checked", "pressed", "required", "invalid", "disabled"].includes(name))
    .map(({ name, value }) => ` ${name}=${value.value}`).join("");
  // In the order of the page, whatever depth a thing has: the box around a block that can be copied counts for nothing.
  const numbered = new Map(nodes.map((node) => [node.nodeId, node]));
  const inside = (node) => [node, ...(node.childIds ?? []).map((id) => numbered.get(id)).filter(Boolean).flatMap(inside)];
  return inside(nodes[0])
    .filter((node) => !node.ignored && !UNTOLD.includes(node.role?.value))
    .map((node) => `${node.role?.value} ${JSON.stringify(node.name?.value ?? "")}${told(node)}`)
    // What to quote of an answer is another of each.
    .map((line) => line.replace(/"[0-9a-f]{24}"/, '"ID"').replace(counts, "N"))
    // A moment has passed between the two.
    .map((line) => line.replace(/\d+(?= (?:second|minute)s? ago| ?(?:秒|分|分钟)前)/, "N"));
}

function difference(scripted, plain) {
  for (let at = 0; at < Math.max(scripted.length, plain.length); ++at) {
    if (scripted[at] !== plain[at]) {
      return [`with scripts there is ${scripted[at]}, without ${plain[at]}`];
    }
  }
  return [];
}

// Rooms in which pages are opened: one for each language, theme and person.
class Rooms {
  constructor(browser) {
    this.browser = browser;
    this.rooms = new Map();
  }

  async page(look, scripts) {
    const name = JSON.stringify([look.language, look.theme, look.cookies, scripts, new URL(look.url).origin]);
    if (!this.rooms.has(name)) {
      const context = await this.browser.newContext({
        ignoreHTTPSErrors: true,
        locale: look.language,
        javaScriptEnabled: scripts,
        viewport: { width: 1280, height: HEIGHT },
        colorScheme: look.theme,
        reducedMotion: "reduce",
      });
      const { origin } = new URL(look.url);
      const kept = { lang: look.language, theme: look.theme };
      const preferences = Object.entries(kept).map(([key, value]) => ({ name: key, value }));
      await context.addCookies([...preferences, ...(look.cookies ?? [])].map(
        (cookie) => ({ secure: true, httpOnly: true, sameSite: "Lax", url: origin, ...cookie })));
      const page = await context.newPage();
      const notes = { faults: [], requests: 0, origin };
      listen(page, notes);
      this.rooms.set(name, { page, notes, session: await context.newCDPSession(page) });
    }
    return this.rooms.get(name);
  }
}

function listen(page, notes) {
  page.on("console", (message) => {
    // An error's own page is what was asked for.
    if (/^Failed to load resource: the server responded with a status of/.test(message.text())) return;
    if (["error", "warning"].includes(message.type())) notes.faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => notes.faults.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => {
    notes.faults.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.redirectedFrom()) ++notes.requests;
    const asked = request.url();
    if (!asked.startsWith(`${notes.origin}/`) && !asked.startsWith("data:")) notes.faults.push(`asked for ${asked}`);
  });
  page.on("response", (response) => {
    const { url, status } = { url: response.url(), status: response.status() };
    if (status >= 400 && url !== page.url() && !response.request().isNavigationRequest()) {
      notes.faults.push(`${url} answered ${status}`);
    }
  });
}

async function open(room, look) {
  room.notes.faults.length = 0;
  room.notes.requests = 0;
  await room.page.setViewportSize({ width: 1280, height: HEIGHT });
  const answer = await room.page.goto(look.url, { waitUntil: "load", timeout: STEP_MS });
  return answer.status();
}

async function widths(room, look, faults) {
  for (const width of look.widths ?? []) {
    await room.page.setViewportSize({ width, height: HEIGHT });
    const more = await overflows(room.session);
    if (more) faults.push(`at ${width} px it is ${more} px wider than its window`);
  }
}

async function examine(room, look, faults) {
  if (!look.examine?.length) return;
  await room.page.evaluate(AXE);
  for (const width of look.examine) {
    await room.page.setViewportSize({ width, height: HEIGHT });
    const found = await room.page.evaluate(audit);
    faults.push(...found.map((fault) => `at ${width} px: ${fault}`));
  }
}

async function compareOnce(plain, room, look) {
  await open(plain, look);
  await room.page.setViewportSize({ width: 1280, height: HEIGHT });
  const buttons = await room.page.$$eval(".copy[data-of]", (all) => {
    const hidden = all.filter((button) => button.hidden).length;
    all.forEach((button) => { button.hidden = true; });
    return { all: all.length, hidden };
  });
  const { pathname } = new URL(look.url);
  const found = difference(await tree(room.session, pathname), await tree(plain.session, pathname));
  if (buttons.hidden) found.push(`${buttons.hidden} of ${buttons.all} copy buttons stay hidden`);
  return found;
}

// Pages that show what goes on may have changed between the two: what differs each time is a fault.
async function compare(rooms, room, look, faults) {
  const plain = await rooms.page(look, false);
  let found = await compareOnce(plain, room, look);
  for (let times = 0; found.length && times < 3; ++times) {
    await open(room, look);
    found = await compareOnce(plain, room, look);
  }
  faults.push(...found, ...plain.notes.faults);
}

async function take(room, look) {
  for (const { file, width, height, scheme, whole } of look.pictures ?? []) {
    await room.page.emulateMedia({ colorScheme: scheme ?? look.theme });
    await room.page.setViewportSize({ width, height });
    await room.page.evaluate(calm, new URL(look.url).host);
    writeFileSync(file, await room.page.screenshot({ fullPage: Boolean(whole), animations: "disabled", caret: "hide" }));
  }
}

async function look(rooms, wish) {
  const room = await rooms.page(wish, true);
  const status = await open(room, wish);
  const faults = [];
  const seen = {
    url: wish.url, status, lang: await room.page.getAttribute("html", "lang"), requests: room.notes.requests,
    nodes: await room.page.evaluate(() => document.querySelectorAll("*").length),
    shift: await leastShift(room, wish), faults,
  };
  await widths(room, wish, faults);
  await examine(room, wish, faults);
  if (wish.tree) await compare(rooms, room, wish, faults);
  await take(room, wish);
  faults.push(...room.notes.faults);
  return seen;
}

// Chromium refuses its sandbox to root.
const root = process.getuid() === 0;
const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: [...(root ? ["--no-sandbox"] : []), "--disable-dev-shm-usage", "--font-render-hinting=none",
         "--force-color-profile=srgb", "--disable-lcd-text"],
});
try {
  const rooms = new Rooms(browser);
  const seen = [];
  for (const wish of plan.looks) {
    seen.push(await look(rooms, wish).catch((error) => ({ url: wish.url, faults: [error.message] })));
  }
  process.stdout.write(JSON.stringify({ version: browser.version(), seen }));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
