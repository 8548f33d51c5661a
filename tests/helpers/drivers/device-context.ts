// A device context for tests: it grants what the test says, and remembers what was asked of it.

import {
  type HeldPattern,
  type Json,
  type Label,
  type ModelContext,
  type PersonQuestion,
  type Progress,
  type SecretPlace,
  SysError,
  type Touch,
  type WorkPlace,
} from "@aos/protocol";

interface ContextForTest {
  /** Everything when absent. */
  readonly grants?: (touch: Touch) => boolean;
  /** The value of a secret at a place; undefined refuses. */
  readonly secrets?: (name: string, place: SecretPlace) => string | undefined;
  readonly signal?: AbortSignal;
  readonly workspace?: WorkPlace;
  /** What the process has read; nothing when absent. */
  readonly hasRead?: Label;
  readonly granted?: (kind: string) => readonly HeldPattern[];
  readonly onProgress?: (delta: Progress) => void;
  /** The labels of files; none where absent. */
  readonly fileLabels?: (path: string) => Label | undefined;
  /** A person's answers. */
  readonly answers?: (question: PersonQuestion) => Json;
}

export interface RecordingContext extends ModelContext {
  readonly asked: Touch[];
  readonly labels: Label[];
  readonly places: SecretPlace[];
  /** What it said that it can see. */
  readonly saw: Label[];
  /** Folders below which it said that it may write. */
  readonly marked: string[];
  /** What it said that held it. */
  readonly held: string[];
}

export function deviceContextForTest(given: ContextForTest = {}): RecordingContext {
  const { grants = () => true, secrets = () => undefined } = given;
  const asked: Touch[] = [];
  const labels: Label[] = [];
  const places: SecretPlace[] = [];
  const marked: string[] = [];
  const held: string[] = [];
  const saw: Label[] = [];
  const { fileLabels } = given;
  return {
    pid: "agt_test",
    tenant: "default",
    tree: "agt_test",
    workspace: given.workspace ?? { isCow: false },
    key: "k",
    hasRead: given.hasRead ?? { integrity: "trusted", secrecy: "public" },
    permits: grants,
    granted: (kind) => given.granted?.(kind) ?? [],
    mayWriteBelow: async (folder) => void marked.push(folder),
    labelsBelow: async () => (fileLabels === undefined ? undefined : { of: fileLabels }),
    sees: (label) => void saw.push(label),
    saw,
    wroteBelow: async () => {},
    heldBy: (sandbox) => void held.push(sandbox),
    ask: async (question) => {
      if (given.answers === undefined) throw new SysError("EDENIED", "nobody is here to say");
      return given.answers(question);
    },
    signal: given.signal ?? new AbortController().signal,
    asked,
    labels,
    places,
    marked,
    held,
    authorize: (touch) => {
      asked.push(touch);
      if (!grants(touch))
        throw new SysError("EACCES", `no capability for ${touch.verb} on ${touch.resource}`);
    },
    progress: (delta) => given.onProgress?.(delta),
    label: (label) => void labels.push(label),
    providerKey: (name, place) => {
      const value = secrets(name, place);
      if (value === undefined) throw new SysError("ENOENT", `unknown secret ${name}`);
      return value;
    },
    secret: (name, place) => {
      places.push(place);
      const value = secrets(name, place);
      if (value === undefined) throw new SysError("EACCES", `${name} is not for this place`);
      return value;
    },
  };
}
