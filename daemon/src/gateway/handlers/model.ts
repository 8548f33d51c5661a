// Handlers of operations about providers and their models.
//
// PROVIDER-HANDLERS-1  A test of a model is an ordinary process: judged, recorded and billed.

import { capabilitiesFor, type Kernel } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  isEnded,
  type FailureText,
  type Json,
  type modelOperations,
} from "@aos/protocol";
import { checkConfigLayers } from "../../config.ts";
import { configLayers } from "../../config-text.ts";
import { addProvider as add } from "../../models/add-provider.ts";
import { reportModels } from "../../models/report-models.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

const TEST_MS = 60_000;
/** A model that thinks first needs some before it speaks. */
const TEST_TOKENS = 1024;
const TEST_WORDS = "Answer with the one word: ready";

export const modelHandlers: HandlersOf<typeof modelOperations> = {
  async models({ kernel, models }, { all = false }, { caller }) {
    if (caller.tenant !== null) return ofTenant(kernel, models, caller.tenant);
    const [secrets, { slots }] = await Promise.all([kernel.secrets(), kernel.queue()]);
    const sealed = secrets.filter(({ tenant }) => tenant === DEFAULT_TENANT);
    return reportModels(models, {
      all,
      slots,
      isSet: (name) => sealed.some((secret) => secret.name === name),
    });
  },

  async testModel(gateway, { model, timeoutMs = TEST_MS }, { signal }) {
    const { kernel, policy } = gateway;
    const startedMs = Date.now();
    const pid = await policy.admit([], () => kernel.spawn(testOf(model, timeoutMs)));
    const ending = await kernel.wait(pid, { signal, timeoutMs: timeoutMs + GRACE_MS });
    const ms = Date.now() - startedMs;
    if (!isEnded(ending.state)) {
      await kernel.signal(pid, "SIGKILL").catch(() => {});
      return { ...failed(model, ms), error: unanswered(pid, model) };
    }
    const { text } = (ending.output ?? {}) as { text?: string };
    return {
      model,
      ok: ending.error === null && ending.exitCode === 0,
      ms,
      text: text ?? null,
      usd: await priceOf(gateway, pid, model),
      error: ending.error,
    };
  },

  queue: ({ kernel }) => kernel.queue(),

  async addProvider({ kernel, models, home }, wish, { caller }) {
    const added = await add(wish, {
      file: home.config,
      check: (text) => void checkConfigLayers(configLayers(home, text)),
      seal: (secret) => kernel.setSecret(secret, caller.name),
    });
    models.reread();
    return added;
  },
};

/** Those that its ceiling covers. How they do, and what is sealed for them, is everybody's. */
async function ofTenant(kernel: Kernel, models: GatewayContext["models"], tenant: string) {
  const known = reportModels(models, { all: true, slots: [], isSet: () => true });
  const covers = await Promise.all(
    known.map(({ model }) =>
      kernel.covers(tenant, { kind: "model", resource: model, verb: "infer" }),
    ),
  );
  return known.filter((_, n) => covers[n]);
}

/** Beside the model's own time: to begin and to end. */
const GRACE_MS = 5000;

const failed = (model: string, ms: number) => ({ model, ok: false, ms, text: null, usd: null });

const unanswered = (pid: string, model: string): FailureText => ({
  code: "ETIMEDOUT",
  message: `${model} did not answer in time`,
  hint: `see what it waited for: aos logs ${pid}`,
});

/** PROVIDER-HANDLERS-1. */
const testOf = (model: string, timeoutMs: number): Parameters<Kernel["spawn"]>[0] => ({
  manifest: {
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "model-test",
    program: "ask",
    capabilities: capabilitiesFor(
      [model, ...realOf(model)].map((resource) => ({ kind: "model", resource, verb: "infer" })),
    ),
  },
  input: { model, text: TEST_WORDS, maxTokens: TEST_TOKENS, timeoutMs } satisfies Json,
});

/** Who records needs the right to the real one. */
const realOf = (model: string): string[] =>
  model.startsWith("record/") ? [model.slice("record/".length)] : [];

/** Null where the price is not known, and where there was no answer. */
async function priceOf({ kernel, models }: GatewayContext, pid: string, model: string) {
  const [past] = await kernel.inferences(pid, { requests: true });
  if (past?.reply === undefined || past.request === undefined) return null;
  const driver = models.driver(model.split("/", 1)[0] ?? "");
  if (driver?.measure?.(past.request).card.price === null) return null;
  return (await kernel.show(pid)).costUsd;
}
