// The pictures of docs/lab.md: node tour.mjs
import { join } from 'node:path';
import { go, look, open, project, rest, start } from './lab.mjs';

const figures = join(project, 'docs/figures');

/** Each picture: its name, what is shown, how large it is, what is done before. */
const TOUR = [
  ['lab-run', { view: 'run', file: 'scenarios/belt.toml' }, [1280, 860], cursor],
  ['lab-models', { view: 'run', file: 'scenarios/pulse.toml', vary: 'friction.model=lugre,frbd,implicit' }, [1280, 820]],
  ['lab-audit', { view: 'audit', model: 'lugre' }, [1280, 860], played],
  ['lab-patch', { view: 'patch' }, [1280, 760]],
  ['lab-narrow', { view: 'run', file: 'scenarios/belt.toml' }, [390, 844], cursor],
];

async function cursor(page) {
  await page.locator('section:not([hidden]) .plot').first().focus();
  await page.keyboard.press('Home');
  for (let k = 0; k < 12; k += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.evaluate(() => document.activeElement.blur());
}

async function played(page) {
  await page.waitForFunction(() => document.querySelectorAll('#view-audit .motion .plot').length > 2);
  await page.evaluate(() => window.lab.view.cursor.move(0.63 * window.lab.view.run.end));
}

const server = await start();
for (const [name, words, [width, height], act] of TOUR) {
  const browser = await open({ colorScheme: name === 'lab-narrow' ? 'dark' : 'light' });
  const { page } = await look(browser.context, server.address);
  await page.setViewportSize({ width, height });
  await go(page, server.address, words);
  await act?.(page);
  await rest(page);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(figures, `${name}.png`) });
  await browser.close();
}
server.stop();
