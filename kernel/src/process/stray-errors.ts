// Stray errors: uncaught errors of a program in this process: an unhandled rejection, an exception in a timer or a
// callback. Node would end the whole process.
//
//   const { inside, outside } = strayScope((what) => …);     one for every program that is started
//   inside(() => program(sys, input));                       what goes astray in there is told to it
//
// STRAY-ERRORS-1  An error is assigned to the program whose code caused it, through any number of callbacks, by the
//     asynchronous context; a system call pays only for leaving that context.
// STRAY-ERRORS-2  An error of no program is left to Node: a listener of the embedder receives it; without one the
//     process prints it and exits with 1.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

export type StrayKind = "unhandled rejection" | "uncaught exception";
type Report = (error: unknown, kind: StrayKind) => void;
type Runner = <T>(work: () => T) => T;

const reports = new AsyncLocalStorage<Report>();
let isWatching = false;

/** `inside` is where the program runs, `outside` where the kernel does. */
export function strayScope(report: Report): { readonly inside: Runner; readonly outside: Runner } {
  watch();
  return reports.exit(() => ({
    outside: AsyncLocalStorage.snapshot() as Runner,
    inside: reports.run(report, () => AsyncLocalStorage.snapshot() as Runner),
  }));
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("unhandledRejection", rejected);
  process.on("uncaughtException", thrown);
}

function rejected(reason: unknown): void {
  const report = reports.getStore();
  if (report !== undefined) return report(reason, "unhandled rejection");
  if (process.listenerCount("unhandledRejection") > 1) return; // STRAY-ERRORS-2
  throw reason instanceof Error ? reason : rejectionOf(reason);
}

function thrown(error: unknown): void {
  const report = reports.getStore();
  // Node leaves the context of a callback that threw behind, and the next error would be taken for its.
  reports.enterWith(undefined as never);
  if (report !== undefined) return report(error, "uncaught exception");
  if (process.listenerCount("uncaughtException") > 1) return; // STRAY-ERRORS-2
  process.stderr.write(`Uncaught ${inspect(error)}\n\nNode.js ${process.version}\n`);
  process.exit(1);
}

/** As Node says it. */
const rejectionOf = (reason: unknown): Error =>
  Object.assign(new Error(`a promise was rejected and nobody handled it: ${inspect(reason)}`), {
    code: "ERR_UNHANDLED_REJECTION",
  });
