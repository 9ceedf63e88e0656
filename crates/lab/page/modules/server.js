// What is asked of the server, and how its answers are read.

/** Another page has another name, so that neither takes the place of the other's work. */
const page = crypto.randomUUID();

/** What went wrong, as the command line says it. */
export class Refused extends Error {
  constructor(told) {
    super(told.message ?? 'no answer');
    this.kind = told.kind ?? 'run';
  }
}

async function refused(response) {
  let told = { kind: 'run', message: `the server answered ${response.status}` };
  try {
    told = await response.json();
  } catch {
    // What is no JSON says no more than its status.
  }
  return new Refused(told);
}

async function send(path, ask, signal) {
  const body = JSON.stringify({ page, ...ask });
  let response;
  try {
    response = await fetch(path, { method: 'POST', body, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused({ kind: 'run', message: 'the server does not answer: is `bristle lab` still running?' });
  }
  if (!response.ok) throw await refused(response);
  return response;
}

/** A header with columns of numbers behind it. */
export class Answer {
  constructor(buffer) {
    const length = Number(new DataView(buffer).getBigUint64(0, true));
    this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
    this.numbers = new Float64Array(buffer, 8 + length);
  }

  /** The column that the header calls [first, count]. */
  column([first, count]) {
    return this.numbers.subarray(first, first + count);
  }
}

export async function view(name, ask, signal) {
  const response = await send(`/api/view/${name}`, ask, signal);
  return new Answer(await response.arrayBuffer());
}

export async function exported(name, format, ask) {
  const response = await send(`/api/export/${name}/${format}`, ask);
  const named = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '');
  return { name: named?.[1] ?? `bristle.${format}`, blob: await response.blob() };
}

export async function kind(ask) {
  return (await send('/api/kind', ask)).json();
}

export async function progress(name) {
  const response = await fetch(`/api/progress/${name}/${page}`);
  return response.ok ? response.json() : null;
}

export async function catalogue() {
  const response = await fetch('/api/catalogue');
  if (!response.ok) throw await refused(response);
  return response.json();
}

/**
 * Asks one thing after the other. While an answer is on its way only the last wish counts; an answer that lets wait for longer than
 * `patience` is overtaken by it.
 */
export class Line {
  constructor(name, patience = 250) {
    Object.assign(this, { name, patience, flying: null, next: null });
  }

  /** Calls `done` with the answer or `failed` with why there is none; neither, if it was overtaken. */
  ask(ask, done, failed) {
    this.next = { ask, done, failed };
    if (!this.flying) this.#fly();
    else if (performance.now() - this.flying.since > this.patience) this.flying.abort.abort();
    else {
      const flying = this.flying;
      setTimeout(() => {
        if (this.flying === flying && this.next) flying.abort.abort();
      }, this.patience);
    }
  }

  get busy() {
    return this.flying !== null;
  }

  async #fly() {
    while (this.next) {
      const { ask, done, failed } = this.next;
      this.next = null;
      const flying = { since: performance.now(), abort: new AbortController() };
      this.flying = flying;
      let call;
      try {
        const answer = await view(this.name, ask, flying.abort.signal);
        call = () => done(answer);
      } catch (error) {
        const overtaken = error.name === 'AbortError' || error.kind === 'overtaken';
        call = overtaken ? null : () => failed(error);
      }
      this.flying = null;
      call?.();
    }
  }
}
