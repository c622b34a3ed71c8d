// Shows pages that hold a stranger's text to Debian's Chromium, scripts on, and tells what the text
// did that it may not do. One JSON document on standard input, one on standard output:
//
//   {"chromium": "/usr/bin/chromium", "pages": [URL, …]}  →  {"faults": [{"url", "what"}], "seen": N}
//
// A page has texts in <main>, each in a <div class="text">, and <footer id="end"> behind it. Whatever can be pressed, focused or
// pointed at is.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const plan = JSON.parse(readFileSync(0, "utf8"));
const STEP_MS = 20_000;
const faults = [];

// In the page: before anything of it runs.
function watch() {
  window.ran = [];
  for (const name of ["alert", "confirm", "prompt", "open"]) {
    window[name] = () => { window.ran.push(name); };
  }
  window.addEventListener("submit", (event) => {
    window.ran.push("submit");
    event.preventDefault();
  }, true);
  // Links are pressed, but not followed.
  window.addEventListener("click", (event) => {
    if (event.target.closest("a")) event.preventDefault();
  }, false);
}

// In the page: presses everything, and looks at what is there.
function examine() {
  const wrong = [];
  const main = document.querySelector("main");
  const end = document.querySelector("#end");
  if (!main || document.querySelectorAll("main").length !== 1) wrong.push("not one <main>");
  if (!end || end.parentElement !== document.body) wrong.push("the footer is not where it was");
  if (end && end.previousElementSibling !== main) wrong.push("something left <main>");
  for (const text of document.querySelectorAll(".text")) {
    if (text.parentElement !== main) wrong.push("a text is in another one");
  }
  for (const element of main.children) {
    if (!element.classList.contains("text")) wrong.push(`<${element.localName}> left its text`);
  }
  if (document.body.attributes.length > 0) wrong.push("<body> has attributes");
  if (document.head.children.length !== 2) wrong.push("<head> was changed");
  const never = "script,style,link,meta,base,iframe,frame,frameset,object,embed,form,input,button," +
    "select,textarea,svg,math,template,video,audio,source,picture,dialog,noscript,area,map";
  for (const element of main.querySelectorAll(never)) wrong.push(`<${element.localName}>`);
  for (const element of main.querySelectorAll("*")) {
    if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") wrong.push(element.namespaceURI);
    for (const { name } of element.attributes) {
      if (/^on|^style$|^name$|^form|^srcset$|^ping$|^target$/.test(name)) wrong.push(`${name}=`);
    }
    if (element.id && !element.id.startsWith("user-")) wrong.push(`id=${element.id}`);
    if (element.localName === "a" && element.hasAttribute("href")) {
      if (!["http:", "https:", "mailto:"].includes(element.protocol)) wrong.push(element.href);
      if (element.host === "evil.test" && !element.rel.includes("noopener")) wrong.push("no rel");
    }
    for (const type of ["pointerenter", "mouseover", "focus", "blur", "toggle", "animationstart"]) {
      element.dispatchEvent(new Event(type, { bubbles: true }));
    }
    element.focus?.();
    element.click?.();
  }
  return [...wrong, ...window.ran.map((name) => `${name}() was called`)];
}

const root = process.getuid() === 0;
const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: [...(root ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
});
try {
  const context = await browser.newContext({ javaScriptEnabled: true });
  await context.addInitScript(watch);
  const page = await context.newPage();
  let url = "";
  const fault = (what) => faults.push({ url, what });
  page.on("dialog", (dialog) => {
    fault(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("popup", () => fault("another window"));
  page.on("framenavigated", (frame) => {
    if (frame !== page.mainFrame() || frame.url() !== url) fault(`went to ${frame.url()}`);
  });
  const origin = new URL(plan.pages[0]).origin;
  await context.route("**/*", (route) => {
    const asked = route.request().url();
    if (asked === url) return route.continue();
    // Images of this server are what a page may have; here there are none.
    const image = asked.startsWith(`${origin}/here/`) && route.request().resourceType() === "image";
    if (!image) fault(`asked for ${asked}`);
    return route.abort();
  });
  let seen = 0;
  for (url of plan.pages) {
    await page.goto(url, { waitUntil: "load", timeout: STEP_MS });
    // A page that goes elsewhere meanwhile cannot be examined.
    const wrong = await page.evaluate(examine).catch((error) => [error.message]);
    wrong.forEach(fault);
    ++seen;
  }
  process.stdout.write(JSON.stringify({ faults, seen }));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
