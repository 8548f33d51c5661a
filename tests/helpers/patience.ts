// Patience: a test waits for what must come about, on whatever machine. vitest's own waiting gives up after
// a second unless it is told otherwise; here it is two minutes, and nothing is told to be shorter.

import { vi } from "vitest";

/** Also in vitest.config.ts, for `expect.poll`. */
const PATIENCE_MS = 120_000;

type Options = number | { timeout?: number; interval?: number } | undefined;

const patient = (options: Options) => {
  const given = typeof options === "number" ? { timeout: options } : options;
  return { ...given, timeout: Math.max(given?.timeout ?? 0, PATIENCE_MS) };
};

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
