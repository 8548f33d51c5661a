// What people are told of models: those that are configured, those that the price table knows, and those
// that were used, each once.

import type { ModelCard, ModelReport, SlotReport } from "@aos/protocol";
import type { ModelRegistry } from "./model-registry.ts";

interface ReportOptions {
  /** Also those that cannot be used because their key is not there. */
  readonly all: boolean;
  readonly slots: readonly SlotReport[];
  readonly isSet: (secret: string) => boolean;
}

type ModelLookup = Pick<ModelRegistry, "config" | "driver" | "declaration" | "names">;
type Source = ModelReport["source"];

export function reportModels(
  book: ModelLookup,
  { all, slots, isSet }: ReportOptions,
): ModelReport[] {
  const sources = new Map<string, Source>();
  const note = (source: Source, names: readonly string[]) => {
    for (const name of names) if (!sources.has(name)) sources.set(name, source);
  };
  const cards = new Map<string, ModelCard>(
    book
      .names()
      .flatMap((name) => book.driver(name)?.cards?.() ?? [])
      .map((card) => [card.model, card]),
  );
  note("configured", Object.keys(book.config.models));
  note("configured", bareProviders(book, [...cards.keys(), ...sources.keys()]));
  note(
    "used",
    slots.filter(({ requests, queued, running }) => requests + queued + running > 0).map(nameOf),
  );
  note("known", [...cards.keys()]);

  return [...sources]
    .map(([model, source]) => reportOf(book, { model, source, isSet, cards, slots }))
    .filter(({ source, key }) => all || source !== "known" || key === null || key.isSet)
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

const nameOf = ({ model }: SlotReport): string => model;

/** A provider of which no model is known by name: any may work. */
const bareProviders = ({ config }: ModelLookup, known: readonly string[]): string[] =>
  Object.keys(config.providers)
    .filter((provider) => !known.some((model) => model.startsWith(`${provider}/`)))
    .map((provider) => `${provider}/*`);

function reportOf(
  book: ModelLookup,
  given: Pick<ReportOptions, "isSet" | "slots"> & {
    model: string;
    source: Source;
    cards: ReadonlyMap<string, ModelCard>;
  },
): ModelReport {
  const { model, source, isSet, cards, slots } = given;
  const [provider = ""] = model.split("/", 1);
  const driver = book.driver(provider);
  const keySecret = book.declaration(provider)?.keySecret;
  const card = cards.get(model) ?? measured(driver, model) ?? UNKNOWN;
  return {
    ...card,
    model,
    provider,
    source,
    egress: driver?.egress ?? false,
    fallback: book.config.models[model]?.fallback ?? [],
    key: keySecret === undefined ? null : { name: keySecret, isSet: isSet(keySecret) },
    slots: slots.find((one) => one.model === model) ?? null,
  };
}

const UNKNOWN = { window: null, maxOutputTokens: null, price: null };

/** What its driver knows of a model that is on no list. */
const measured = (
  driver: ReturnType<ModelLookup["driver"]>,
  model: string,
): ModelCard | undefined =>
  model.endsWith("/*") ? undefined : driver?.measure?.({ model, messages: [] }).card;
