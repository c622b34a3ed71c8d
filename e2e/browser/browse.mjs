// Drives Debian's Chromium through the pages of signing in. One JSON document on standard input says
// what to do, one on standard output says what was seen:
//
//   {"chromium": "/usr/bin/chromium", "language": "en", "pictures": "DIR" | null, "scripts": false,
//    "steps": [{"open": URL} | {"fill": {"#id": "text"}} | {"press": "css selector"} |
//              {"picture": "name"} | {"expect": "css selector"} | {"unfold": "css selector"} |
//              {"choose": {"#id": "value"}} | {"tick": "css selector"} | {"copy": "css selector"} |
//              {"tab": "css selector"} |
//              {"leave": "css selector", "to": "beginning of a URL"}]}
//
// → {"pages": [{"url", "title", "lang", "text", "violations"}]}, a page after each step that leads
// to one, {"copied"} after each that copies, and after each that goes through a form with the Tab key {"stops"}: by
// name what had the focus there, and {"ringless"}: what of it has no ring. Exit status 1 and a sentence on standard error when a step fails.
import { readFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const plan = JSON.parse(readFileSync(0, "utf8"));
const STEP_MS = 20_000;
const SIZES = [
  { name: "wide", viewport: { width: 1280, height: 900 } },
  { name: "narrow", viewport: { width: 390, height: 844 } },
];

const violations = [];

async function see(page) {
  return {
    url: page.url(),
    title: await page.title(),
    lang: await page.getAttribute("html", "lang"),
    text: (await page.innerText("body")).replace(/\s+/g, " ").trim(),
    // Narrow screens scroll one way only.
    overflows: await overflows(page),
    violations: violations.splice(0),
  };
}

// Measured by Playwright's own protocol, so that it works where pages may run no script.
async function overflows(page) {
  const session = await page.context().newCDPSession(page);
  const { cssContentSize, cssLayoutViewport } = await session.send("Page.getLayoutMetrics");
  await session.detach();
  return cssContentSize.width > cssLayoutViewport.clientWidth + 1;
}

async function picture(page, name) {
  const shots = [];
  for (const size of SIZES) {
    for (const scheme of ["light", "dark"]) {
      await page.setViewportSize(size.viewport);
      await page.emulateMedia({ colorScheme: scheme });
      const file = path.join(plan.pictures, `${name}-${plan.language}-${size.name}-${scheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
      shots.push({ name: size.name, overflows: await overflows(page) });
    }
  }
  await page.setViewportSize(SIZES[0].viewport);
  const bad = shots.filter((shot) => shot.overflows).map((shot) => shot.name);
  if (bad.length > 0) throw new Error(`${name} is wider than its window: ${bad.join(", ")}`);
}

async function take(page, step) {
  if (step.open) {
    await page.goto(step.open, { waitUntil: "load", timeout: STEP_MS });
    return await see(page);
  }
  if (step.fill) {
    for (const [selector, text] of Object.entries(step.fill)) await page.fill(selector, text);
    return null;
  }
  if (step.choose) {
    for (const [selector, value] of Object.entries(step.choose)) await page.selectOption(selector, value);
    return null;
  }
  if (step.tick) {
    await page.check(step.tick, { timeout: STEP_MS });
    return null;
  }
  if (step.copy) {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(page.url()).origin });
    await page.click(step.copy, { timeout: STEP_MS });
    return { ...await see(page), copied: await page.evaluate(() => navigator.clipboard.readText()) };
  }
  if (step.press) {
    await Promise.all([
      page.waitForNavigation({ waitUntil: "load", timeout: STEP_MS }),
      page.click(step.press, { timeout: STEP_MS }),
    ]);
    return await see(page);
  }
  if (step.leave) {
    // What is there may end as soon as it was asked, as a client that waits for a code does.
    const asked = (event) =>
      page.waitForEvent(event, {
        predicate: (request) => request.url().startsWith(step.to),
        timeout: STEP_MS,
      });
    await Promise.all([
      Promise.any([asked("requestfinished"), asked("requestfailed")]),
      page.click(step.leave, { timeout: STEP_MS, noWaitAfter: true }),
    ]);
    return null;
  }
  if (step.expect) {
    await page.waitForSelector(step.expect, { timeout: STEP_MS });
    return null;
  }
  if (step.unfold) {
    await page.click(step.unfold, { timeout: STEP_MS });
    return null;
  }
  if (step.tab) return { ...await see(page), ...await tabThrough(page, step.tab) };
  if (step.picture) {
    if (plan.pictures) await picture(page, step.picture);
    return null;
  }
  throw new Error(`no such step: ${JSON.stringify(step)}`);
}

// A date is one field of several stops.
async function tabThrough(page, selector) {
  const stops = [];
  const ringless = [];
  await page.focus(`${selector} :is(input:not([type=hidden]),select,textarea,button)`, { timeout: STEP_MS });
  for (let i = 0; i < 100; ++i) {
    const stop = await page.evaluate((form) => {
      const at = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      const has = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      return { within: at.closest(form) !== null, name: at.id || at.innerText || at.tagName, has };
    }, selector);
    if (!stop.within) return { stops, ringless };
    stops.push(stop.name);
    if (!stop.has) ringless.push(stop.name);
    await page.keyboard.press("Tab");
  }
  throw new Error("the form has no end");
}

// Chromium refuses its sandbox to root.
const root = process.getuid() === 0;
const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: [...(root ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
});
try {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    locale: plan.language,
    javaScriptEnabled: plan.scripts ?? false,
    viewport: SIZES[0].viewport,
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) violations.push(message.text());
  });
  const pages = [];
  for (const step of plan.steps) {
    const seen = await take(page, step).catch((error) => {
      throw new Error(`${JSON.stringify(step)} at ${page.url()}: ${error.message}`);
    });
    if (seen) pages.push(seen);
  }
  process.stdout.write(JSON.stringify({ pages }));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
