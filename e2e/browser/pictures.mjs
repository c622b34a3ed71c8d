// Compares pictures, pixel by pixel, and makes small ones, with the decoders and encoders that Chromium has. One
// JSON document on standard input, one on standard output:
//
//   {"chromium": "/usr/bin/chromium", "pairs": [[FILE, FILE]…]}
//     → {"shares": [0.0003…]}: of each pair, the share of pixels that differ; 1 when the sizes do
//   {"chromium": "/usr/bin/chromium", "shrink": [[FILE.png, FILE.webp]…], "quality": 0.85}  → {}
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const plan = JSON.parse(readFileSync(0, "utf8"));
const NEAR = 24; // of 255, in one colour: what smoothing of letters may change

const data = (file) => `data:image/png;base64,${readFileSync(file).toString("base64")}`;

// In the page.
async function share([one, other, near]) {
  const draw = async (source) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  };
  const [left, right] = [await draw(one), await draw(other)];
  if (left.width !== right.width || left.height !== right.height) return 1;
  let different = 0;
  for (let at = 0; at < left.data.length; at += 4) {
    const far = (channel) => Math.abs(left.data[at + channel] - right.data[at + channel]) > near;
    if (far(0) || far(1) || far(2)) ++different;
  }
  return different / (left.width * left.height);
}

// In the page.
async function shrink([source, quality]) {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d").drawImage(picture, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}

const root = process.getuid() === 0;
const browser = await chromium.launch({
  executablePath: plan.chromium,
  args: [...(root ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage();
  const shares = [];
  for (const [one, other] of plan.pairs ?? []) shares.push(await page.evaluate(share, [data(one), data(other), NEAR]));
  for (const [from, to] of plan.shrink ?? []) {
    writeFileSync(to, Buffer.from(await page.evaluate(shrink, [data(from), plan.quality]), "base64"));
  }
  process.stdout.write(JSON.stringify(plan.pairs ? { shares } : {}));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
