// The lab in a real browser: what it shows is what the library says, and nothing is complained of.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { go, look, open, program, project, rest, slide, start } from './lab.mjs';

let server;
let browser;
let page;
let complaints;
let outside;

before(async () => {
  server = await start();
  browser = await open();
  ({ page, complaints, outside } = await look(browser.context, server.address));
});

after(async () => {
  await browser?.close();
  server?.stop();
});

const quiet = () => {
  assert.deepEqual(complaints, []);
  assert.deepEqual(outside, []);
};

const shown = (selector) => page.locator(`section:not([hidden]) ${selector}`);

/** A number of the table of extremes, at full precision. */
const extreme = async (column, what) => Number(await shown(`tr[data-column="${column}"] td[data-what="${what}"]`).first().getAttribute('data-value'));

/** What the command line says of the same run. */
function printed(file, ...set) {
  const out = mkdtempSync(join(tmpdir(), 'bristle-run-'));
  const args = ['run', file, ...set.flatMap((s) => ['--set', s]), '--json', '--quiet', '--no-figure', '--out', join(out, 'run')];
  return JSON.parse(execFileSync(program, args, { cwd: project, encoding: 'utf8' }));
}

/** The dark points of the first curves: what changes when a curve does. */
const picture = () => shown('.plot canvas').first().evaluate((canvas) => canvas.toDataURL());

test('the page opens with a run', async () => {
  await page.goto(server.address);
  await rest(page);
  assert.equal(await page.title(), 'Run · Bristle lab');
  assert.equal(await shown('figure.panel').count(), 6);
  assert.equal(await extreme('x', 'max'), printed('scenarios/belt.toml').columns.x.max);
  quiet();
});

test('a slider changes the curve, and the numbers are those of the library', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  const before = await picture();
  await slide(page, 'system.load', 700);
  const load = await shown('#s-system-load').inputValue();
  assert.notEqual(load, '9.81');
  assert.notEqual(await picture(), before);
  const ours = printed('scenarios/belt.toml', `system.load=${load}`).columns;
  for (const column of ['x', 'v_rel', 'F']) {
    for (const what of ['max', 'min', 'end']) assert.equal(await extreme(column, what), ours[column][what], `${column} ${what}`);
  }
  quiet();
});

test('a link reproduces a view, and the history is the undo', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/pulse.toml' });
  const first = await extreme('x', 'end');
  await slide(page, 'system.drive.value', 800);
  const second = await extreme('x', 'end');
  assert.notEqual(first, second);
  const link = page.url();
  await page.keyboard.press('Control+z');
  await rest(page);
  assert.equal(await extreme('x', 'end'), first);
  await page.keyboard.press('Control+Shift+z');
  await rest(page);
  assert.equal(await extreme('x', 'end'), second);
  await page.goto('about:blank');
  await page.goto(link);
  await rest(page);
  assert.equal(await extreme('x', 'end'), second);
  quiet();
});

test('models stand over each other', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  await shown('details.group input[data-model="frbd"]').check();
  await rest(page);
  await shown('details.group input[data-model="implicit"]').check();
  await rest(page);
  const names = await shown('figure.panel').first().locator('.legend li').allInnerTexts();
  assert.deepEqual(names.map((n) => n.trim()), ['lugre', 'frbd', 'implicit'].filter((n) => names.join().includes(n)));
  assert.equal(names.length, 3);
  assert.equal(await shown('tr[data-column="x"]').count(), 3);
  quiet();
});

test('one cursor goes through all panels', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  await shown('.plot').first().focus();
  await page.keyboard.press('End');
  const dots = await shown('.cursor-dot:not([hidden])').count();
  assert.ok(dots >= 5, `${dots}`);
  const said = await shown('figure.panel .sr[aria-live]').first().innerText();
  assert.match(said, /t = 20 s: /);
  const box = await shown('.u-over').nth(1).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  const value = await shown('figure.panel').nth(1).locator('.legend .value').innerText();
  assert.match(value, /\d/);
  quiet();
});

test('a stretch of time is looked at more closely', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  const box = await shown('.u-over').first().boundingBox();
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 30);
  await page.mouse.up();
  await rest(page);
  const window = await page.evaluate(() => window.lab.state.window);
  assert.ok(Math.abs(window[0] - 5) < 0.1 && Math.abs(window[1] - 10) < 0.1, `${window}`);
  await page.mouse.dblclick(box.x + 50, box.y + 30);
  await rest(page);
  assert.equal(await page.evaluate(() => window.lab.state.window), null);
  quiet();
});

test('mistakes are told in the words of the command line', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  await shown('#s-friction-sigma1').fill('-3');
  await shown('#s-friction-sigma1').press('Enter');
  await rest(page);
  const told = await page.locator('#error').innerText();
  let said = '';
  try {
    execFileSync(program, ['run', 'scenarios/belt.toml', '--set', 'friction.sigma1=-3'], { cwd: project, stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    said = error.stderr;
  }
  assert.equal(told.trim(), said.replace(/^error: /, '').trim());
  // What was shown before is still there, marked; the next good value clears it.
  await shown('#s-friction-sigma1').fill('30');
  await shown('#s-friction-sigma1').press('Enter');
  await rest(page);
  assert.ok(await page.locator('#error').isHidden());
  quiet();
});

/** Drops files on the page. */
async function drop(files) {
  await page.evaluate((all) => window.lab.take(all.map(([name, text]) => new File([text], name))), files);
  await rest(page);
}

test('files are dropped', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  const text = readFileSync(join(project, 'scenarios/servo-log.toml'), 'utf8');
  const log = readFileSync(join(project, 'scenarios/servo-log.csv'), 'utf8');
  await drop([['mine.toml', text]]);
  assert.match(await page.locator('#error').innerText(), /mine\.toml cannot be run:[^]*was not given/);
  await drop([['servo-log.csv', log]]);
  assert.ok(await page.locator('#error').isHidden());
  assert.equal(await extreme('x_slide', 'max'), printed('scenarios/servo-log.toml').columns.x_slide.max);
  await drop([['rolling.toml', '[rolling]\nsigma_x = 0.1\n']]);
  assert.equal(await page.evaluate(() => window.lab.state.view), 'patch');
  assert.ok(await page.locator('#error').isHidden());
  quiet();
});

test('what is shown is exported', async () => {
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml', set: 'run.end=2' });
  for (const [format, begins] of [['toml', 'title ='], ['csv', 't [s],'], ['svg', '<'], ['png', '\x89PNG']]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#export').selectOption(format)]);
    assert.equal(download.suggestedFilename(), `belt.${format}`);
    const bytes = readFileSync(await download.path(), 'latin1');
    assert.ok(bytes.includes(begins), `${format}: ${bytes.slice(0, 80)}`);
  }
  quiet();
});

test('the motion that takes energy out is played', async () => {
  await go(page, server.address, { view: 'audit', model: 'lugre' });
  assert.match(await shown('pre.verdict').innerText(), /passive +no: gives out/);
  await page.waitForFunction(() => document.querySelectorAll('#view-audit .motion .plot').length > 2);
  assert.match(await shown('.motion .note').innerText(), /The drive gets \S+ J out of friction/);
  await shown('.motion button').click();
  await page.waitForTimeout(600);
  assert.ok(await page.evaluate(() => window.lab.view.cursor.t > 0));
  await shown('.motion button').click();
  await shown('select[data-what="model"]').selectOption('frbd');
  await rest(page);
  assert.match(await shown('pre.verdict').innerText(), /passive +yes/);
  assert.ok(await shown('.motion').isHidden());
  quiet();
});

test('models are compared', async () => {
  await go(page, server.address, { view: 'compare', model: 'dahl' });
  assert.equal(await shown('tr[data-model="dahl"]').count(), 1);
  await shown('input[data-model="frbd"]').check();
  await rest(page);
  assert.match(await shown('tr[data-model="frbd"]').innerText(), /yes/);
  quiet();
});

test('a patch is looked at in every way', async () => {
  await go(page, server.address, { view: 'patch', task: 'steady' });
  const tasks = await shown('aside button[aria-pressed]').allInnerTexts();
  assert.ok(tasks.length >= 5);
  for (const task of tasks) {
    await shown(`aside button[aria-pressed]:text-is("${task}")`).click();
    await rest(page);
    assert.ok(await page.locator('#error').isHidden(), task);
    assert.ok(await shown('.panel canvas').count() > 0, task);
  }
  await go(page, server.address, { view: 'patch', file: 'scenarios/line-step.toml' });
  assert.ok(await shown('.panel canvas').count() > 1);
  quiet();
});

test('a log is fitted while one looks on', async () => {
  const files = ['slide.toml', 'slide.csv', 'slide-2.csv'].map((name) => [name, readFileSync(join(project, 'data/logs', name), 'utf8')]);
  await drop(files);
  assert.equal(await page.evaluate(() => window.lab.state.view), 'fit');
  assert.ok(await page.locator('#error').isHidden());
  assert.equal(await shown('tr[data-name="sigma0"] td').count(), 4);
  assert.ok(await page.evaluate(() => window.lab.view.course.curves[0].y.length > 10));
  quiet();
});

test('figures of the papers are run again', async () => {
  await go(page, server.address, { view: 'papers', task: '002-fig-8' });
  assert.match(await shown('h2').innerText(), /002, Fig\. 8/);
  assert.ok(await shown('table tr[data-verdict]').count() > 3);
  quiet();
});

test('everything that can be changed has a name', async () => {
  for (const view of ['run', 'compare', 'audit', 'patch', 'fit', 'papers']) {
    await page.locator(`nav a[data-view="${view}"]`).click();
    await rest(page);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('section:not([hidden]) :is(input, select, button, canvas[role])')]
      .filter((field) => !(field.labels?.length || field.getAttribute('aria-label') || field.title || field.textContent.trim()))
      .map((field) => field.outerHTML.slice(0, 120)));
    assert.deepEqual(nameless, [], view);
  }
  quiet();
});

test('nothing is wider than a telephone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const view of ['run', 'compare', 'audit', 'patch', 'fit', 'papers']) {
    await page.locator(`nav a[data-view="${view}"]`).click();
    await rest(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, view);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  quiet();
});

/** Numbers that look random and are the same every time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('200 random deeds leave nothing to complain of', async () => {
  const random = generator(27);
  const pick = (all) => all[Math.floor(random() * all.length)];
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  const light = ['scenarios/belt.toml', 'scenarios/pulse.toml', 'scenarios/stick-slip.toml', 'scenarios/servo.toml', 'scenarios/presliding.toml', 'scenarios/valve-sine.toml'];
  const deeds = {
    async slide() {
      const keys = await page.evaluate(() => [...document.querySelectorAll('section:not([hidden]) [data-slider]')].map((s) => s.dataset.slider).filter((k) => !/^(run|surface|transient)\./.test(k)));
      if (!keys.length) return;
      const key = pick(keys);
      await page.evaluate(([own, at]) => {
        const slider = document.querySelector(`section:not([hidden]) [data-slider="${own}"]`);
        for (const value of [at * 0.9, at]) {
          slider.value = value;
          slider.dispatchEvent(new Event('input', { bubbles: true }));
        }
        slider.dispatchEvent(new Event('change', { bubbles: true }));
      }, [key, Math.round(400 + 200 * random())]);
    },
    async type() {
      const keys = await page.evaluate(() => [...document.querySelectorAll('section:not([hidden]) input[data-key]')].map((s) => s.dataset.key).filter((k) => !/^(run|surface|transient)\./.test(k)));
      if (!keys.length) return;
      await page.evaluate(([key, text]) => {
        const field = document.querySelector(`section:not([hidden]) input[data-key="${key}"]`);
        field.value = text;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      }, [pick(keys), pick(['1', '-1', '0', 'nan', 'x', '1e400', '', '0.5', '[1, 2]', '1e-9'])]);
    },
    async model() {
      await page.evaluate((part) => {
        const box = document.querySelectorAll('section:not([hidden]) input[data-model]');
        box[Math.floor(part * box.length)]?.click();
      }, random());
    },
    async open() {
      await page.evaluate((file) => window.lab.show({ view: 'run', file }), pick(light));
    },
    async reset() {
      await page.evaluate(() => document.querySelector('section:not([hidden]) .reset-all').click());
    },
    undo: () => page.keyboard.press('Control+z'),
    redo: () => page.keyboard.press('Control+Shift+z'),
    async view() {
      await page.evaluate((name) => window.lab.go(name), pick(['run', 'run', 'run', 'patch', 'audit']));
    },
    async theme() {
      await page.locator('#theme').selectOption(pick(['light', 'dark', 'auto']));
    },
    async size() {
      await page.setViewportSize(pick([{ width: 390, height: 844 }, { width: 1280, height: 900 }, { width: 800, height: 600 }]));
    },
    async hover() {
      await page.mouse.move(300 + 600 * random(), 200 + 400 * random());
    },
    key: () => page.keyboard.press(pick(['Tab', 'ArrowRight', 'Escape', 'End', 'Home'])),
  };
  const names = Object.keys(deeds);
  for (let k = 0; k < 200; k += 1) {
    const name = pick(random() < 0.5 ? ['slide', 'hover', 'type'] : names);
    await deeds[name]();
    if (random() < 0.3) await rest(page);
    assert.deepEqual(complaints, [], `deed ${k}, ${name}, ${page.url()}`);
  }
  await rest(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await go(page, server.address, { view: 'run', file: 'scenarios/belt.toml' });
  assert.ok(await page.locator('#error').isHidden());
  assert.equal(await extreme('x', 'max'), printed('scenarios/belt.toml').columns.x.max);
  quiet();
});
