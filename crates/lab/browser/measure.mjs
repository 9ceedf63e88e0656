// From a moved slider to the painted curve, and the memory that many redraws leave: node measure.mjs [REDRAWS]
import { go, look, open, rest, start } from './lab.mjs';

const redraws = Number(process.argv[2] ?? 10000);
const SAMPLES = 200;
const CASES = [
  ['belt, 20 s', { view: 'run', file: 'scenarios/belt.toml' }, 'system.load'],
  ['valve, sine', { view: 'run', file: 'scenarios/valve-sine.toml' }, 'friction.sigma0'],
  ['festoon', { view: 'run', file: 'scenarios/festoon.toml' }, 'friction.sigma0'],
  ['patch, steady', { view: 'patch' }, 'rolling.sigma_x'],
];

/** Moves a slider here and there; gives the times until the curve was painted, ms. */
const moved = (page, key, count) => page.evaluate(async ([name, samples]) => {
  const slider = () => document.querySelector(`section:not([hidden]) [data-slider="${name}"]`);
  const middle = Number(slider().value);
  const times = [];
  for (let k = 0; k < samples; k += 1) {
    const before = performance.now();
    const painted = new Promise((done) => {
      window.lab.redrawn = () => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        // After the frame that shows it.
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
      });
    });
    const field = slider();
    field.value = middle + (k % 2 ? 1 : -1) * (1 + (k % 40));
    field.dispatchEvent(new Event('input', { bubbles: true }));
    times.push(await painted - before);
  }
  window.lab.redrawn = null;
  return times;
}, [key, count]);

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

const server = await start();
const browser = await open();
const { page } = await look(browser.context, server.address);
console.log('| slider | median | 95 % | of it computing |\n|---|---|---|---|');
for (const [name, words, key] of CASES) {
  await go(page, server.address, words);
  await moved(page, key, 10);
  const times = (await moved(page, key, SAMPLES)).sort((a, b) => a - b);
  const computing = await page.evaluate(() => window.lab.view.answer?.header.seconds ?? null);
  const own = computing === null ? '' : `${(1e3 * computing).toFixed(1)} ms`;
  console.log(`| ${name}: \`${key}\` | ${quantile(times, 0.5).toFixed(0)} ms | ${quantile(times, 0.95).toFixed(0)} ms | ${own} |`);
}
await go(page, server.address, CASES[0][1]);
const heap = async () => {
  await rest(page);
  return page.evaluate(() => {
    window.gc();
    return performance.memory.usedJSHeapSize / 2 ** 20;
  });
};
await moved(page, CASES[0][2], 100);
const first = await heap();
for (let k = 0; k < redraws; k += 500) await moved(page, CASES[0][2], Math.min(500, redraws - k));
console.log(`page: ${first.toFixed(1)} MB after 100 redraws, ${(await heap()).toFixed(1)} MB after ${redraws}`);
await browser.close();
server.stop();
