// Pictures of every view, wide and narrow, light and dark: node shots.mjs FOLDER [VIEW …]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { go, look, open, rest, start } from './lab.mjs';

const [folder = 'shots', ...only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const VIEWS = {
  run: { view: 'run', file: 'scenarios/belt.toml' },
  models: { view: 'run', file: 'scenarios/pulse.toml', vary: 'friction.model=lugre,frbd,implicit' },
  machine: { view: 'run', file: 'scenarios/servo.toml' },
  compare: { view: 'compare' },
  audit: { view: 'audit', model: 'lugre' },
  patch: { view: 'patch' },
  surface: { view: 'patch', task: 'surface', set: 'surface.sigma_x_points=31' },
  film: { view: 'patch', task: 'film', file: 'scenarios/patch-step.toml' },
  line: { view: 'patch', file: 'scenarios/line-step.toml' },
  fit: { view: 'fit' },
  papers: { view: 'papers', task: '002-fig-8' },
  error: { view: 'run', file: 'scenarios/belt.toml', set: 'friction.law.mu_s=-1' },
};

const server = await start();
for (const [theme, colorScheme] of [['light', 'light'], ['dark', 'dark']]) {
  const browser = await open({ colorScheme });
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    const { page, complaints } = await look(browser.context, server.address);
    await page.setViewportSize({ width, height });
    for (const [name, words] of Object.entries(VIEWS)) {
      if (only.length && !only.includes(name)) continue;
      await go(page, server.address, words);
      if (name === 'run') {
        await page.locator('section:not([hidden]) .plot').first().focus();
        await page.keyboard.press('Home');
        for (let k = 0; k < 12; k += 1) await page.keyboard.press('Shift+ArrowRight');
        await page.evaluate(() => document.activeElement.blur());
        await rest(page);
      }
      await page.waitForTimeout(name === 'audit' ? 1500 : 300);
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
    }
    if (complaints.length) console.log(complaints);
    await page.close();
  }
  await browser.close();
}
server.stop();
