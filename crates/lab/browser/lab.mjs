// Starts the lab and a browser that looks at it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const project = new URL('../../..', import.meta.url).pathname;
export const program = process.env.BRISTLE_PROGRAM ?? join(project, 'target/debug/bristle');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The server, as a user starts it. */
export async function start() {
  if (!existsSync(program)) throw new Error(`there is no ${program}: cargo build -p bristle-cli`);
  const server = spawn(program, ['lab', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((found, failed) => {
    let text = '';
    server.stdout.on('data', (data) => {
      text += data;
      const line = /http:\S+/.exec(text);
      if (line) found(line[0]);
    });
    server.on('exit', (code) => failed(new Error(`the lab ended with ${code}`)));
  });
  return { address, stop: () => server.kill(), pid: server.pid };
}

/** A browser that has never been anywhere. */
export async function open(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'bristle-lab-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
}

/** A page of the lab, which says whatever it complained of. */
export async function look(context, address) {
  const page = await context.newPage();
  const complaints = [];
  const outside = [];
  page.on('console', (message) => {
    // A refused request is what the test asked for; the page says why.
    const expected = /status of (400|409|422)/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('data:') && !url.startsWith('blob:')) outside.push(url);
  });
  return { page, complaints, outside };
}

/** Waits until nothing is computed any more. */
export async function rest(page) {
  await page.waitForFunction(() => window.lab && !window.lab.view.line.busy && window.lab.view.line.next === null, null, { timeout: 120000 });
}

/** Goes to what an address says. */
export async function go(page, address, words) {
  await page.goto(`${address}#${new URLSearchParams(words)}`);
  await page.reload();
  await rest(page);
}

/** Puts a slider where it is wanted, as a hand does. */
export async function slide(page, key, at) {
  const slider = page.locator(`section:not([hidden]) [data-slider="${key}"]`);
  await slider.evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }, String(at));
  await rest(page);
}
