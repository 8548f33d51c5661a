// Faults: every function that the gate calls, made to throw once.
//
//   faulty("label", module)        for vi.mock: the same module, each of its functions a place
//   plantIn("Journal", prototype)  the same for the methods of a class or an object, in place
//   within(trial, run)             runs the gate's work; only what it calls meanwhile counts
//
// A place is a name and a number: `label.join 2` is the second call of join() while one system call
// passes the gate. A trial first counts the places that a call reaches; then it is made again for each
// of them, with that one throwing.

import { AsyncLocalStorage } from "node:async_hooks";

/** One system call on its way through the gate. */
export interface Trial {
  /** How often each function was called. */
  readonly reached: Map<string, number>;
  /** The place that throws; none while places are counted. */
  readonly place?: string;
  /** Set when it has thrown. */
  thrown: boolean;
  /** Set when the call's record is appended: what follows can no longer refuse it. */
  recorded: boolean;
  /** False once the gate is done with the call. */
  open: boolean;
}

export const FAULT = "a fault of the test";

const SETTLES = "settlement.settle";
const RECORDS = "Journal.append";

/** Who leaves memory, and how a gift that is recorded arrives: no faults there. Nor inside an append. */
const NOT_THE_GATES: ReadonlySet<string> = new Set(["Dormancy.waiting", "Grants.arrive"]);

const trials = new AsyncLocalStorage<Trial>();

export const newTrial = (place?: string): Trial => ({
  reached: new Map(),
  ...(place === undefined ? {} : { place }),
  thrown: false,
  recorded: false,
  open: true,
});

export const placesOf = ({ reached }: Trial): string[] =>
  [...reached].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, i) => `${name} ${i + 1}`),
  );

export async function within<T>(trial: Trial, run: () => Promise<T>): Promise<T> {
  try {
    return await trials.run(trial, run);
  } finally {
    trial.open = false;
  }
}

/** What the test itself looks up meanwhile is no part of the trial. */
export const outside = <T>(run: () => T): T => trials.exit(run);

/** Throws where the trial says so. */
export function reach(name: string): void {
  const trial = trials.getStore();
  if (trial === undefined || !trial.open) return;
  const count = (trial.reached.get(name) ?? 0) + 1;
  trial.reached.set(name, count);
  if (trial.thrown) return;
  if (trial.place !== `${name} ${count}`) {
    trial.recorded ||= name === RECORDS && trial.reached.has(SETTLES);
    return;
  }
  trial.thrown = true;
  throw new Error(FAULT);
}

type Anything = (...args: never[]) => unknown;

const isClass = (value: Anything): boolean =>
  Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;

function planted(name: string, original: Anything): Anything {
  const isAsync = original.constructor.name === "AsyncFunction";
  return function (this: unknown, ...args: never[]): unknown {
    try {
      if (!NOT_THE_GATES.has(name)) reach(name);
    } catch (error) {
      if (isAsync) return Promise.reject(error as Error);
      throw error;
    }
    const run = () => original.apply(this, args);
    return NOT_THE_GATES.has(name) || name === RECORDS ? outside(run) : run();
  };
}

export function faulty<T extends object>(name: string, module: T): T {
  const entries = Object.entries(module).map(([key, value]: [string, unknown]) =>
    typeof value === "function" && !isClass(value as Anything)
      ? [key, planted(`${name}.${key}`, value as Anything)]
      : [key, value],
  );
  return Object.fromEntries(entries) as T;
}

export function plantIn(name: string, target: object): void {
  for (const key of Object.getOwnPropertyNames(target)) {
    const { value } = Object.getOwnPropertyDescriptor(target, key) as { value?: unknown };
    if (key === "constructor" || typeof value !== "function") continue;
    Object.defineProperty(target, key, {
      configurable: true,
      writable: true,
      value: planted(`${name}.${key}`, value as Anything),
    });
  }
}
