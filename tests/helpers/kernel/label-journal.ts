// Fake journal: for tests of what marks files, which write to the journal and ask its store.

import type { Journal } from "../../../kernel/src/journal/journal.ts";

interface LabelWrite {
  readonly tenant: number;
  readonly resource: string;
  readonly label: string;
}

export const asJournal = (journal: FakeJournal): Journal => journal as unknown as Journal;

/** A journal whose commits are made by the test, over a store that counts what it is asked. */
export class FakeJournal {
  readonly kept = new Map<string, string>();
  /** Writes of a process, which go to the disk with its chain. */
  readonly amended: LabelWrite[] = [];
  /** Writes of the operator. */
  readonly written: LabelWrite[] = [];
  asked: (string | number)[][] = [];
  callbacks: (() => void)[] = [];
  /** What the next answer of the store waits for. */
  held: Promise<void> | undefined;
  readonly store: object;

  constructor(kind: string) {
    this.store = {
      kind,
      resourceLabel: async (tenant: number, resource: string) => {
        if (resource.endsWith("//")) return this.kept.get(resource); // folders have tests of their own
        this.asked.push([tenant, resource]);
        const { held } = this;
        this.held = undefined;
        await held;
        return this.kept.get(resource);
      },
      resourceMarksBelow: async (tenant: number, under: string) => {
        this.asked.push([tenant, under]);
        return [...this.kept].flatMap(([resource, label]) =>
          resource.startsWith(under) ? [{ resource, label }] : [],
        );
      },
      resourceLabelsBelow: async (tenant: number, under: string) => {
        this.asked.push([tenant, under]);
        return [...this.kept].flatMap(([place, label]) => (place.startsWith(under) ? [label] : []));
      },
    };
  }

  amend(_end: object, write: LabelWrite): void {
    this.amended.push(write);
  }

  write(write: LabelWrite): void {
    this.written.push(write);
  }

  afterNextCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  commit(): void {
    for (const { resource, label } of [...this.amended.splice(0), ...this.written.splice(0)])
      this.kept.set(resource, label);
    for (const callback of this.callbacks.splice(0)) callback();
  }
}
