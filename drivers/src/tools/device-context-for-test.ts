// A device context for tests: it grants what the test says, and remembers what was asked of it.

import {
  type DeviceContext,
  type Label,
  type SecretPlace,
  SysError,
  type Touch,
} from "@aos/protocol";

interface ContextForTest {
  /** Everything when absent. */
  readonly grants?: (touch: Touch) => boolean;
  /** The value of a secret at a place; undefined refuses. */
  readonly secrets?: (name: string, place: SecretPlace) => string | undefined;
  readonly signal?: AbortSignal;
}

export interface AskedContext extends DeviceContext {
  readonly asked: Touch[];
  readonly labels: Label[];
  readonly places: SecretPlace[];
}

export function deviceContextForTest(given: ContextForTest = {}): AskedContext {
  const { grants = () => true, secrets = () => undefined } = given;
  const asked: Touch[] = [];
  const labels: Label[] = [];
  const places: SecretPlace[] = [];
  return {
    pid: "agt_test",
    tenant: "default",
    key: "k",
    signal: given.signal ?? new AbortController().signal,
    asked,
    labels,
    places,
    authorize: (touch) => {
      asked.push(touch);
      if (!grants(touch))
        throw new SysError("EACCES", `no capability for ${touch.verb} on ${touch.resource}`);
    },
    label: (label) => void labels.push(label),
    secret: (name, place) => {
      places.push(place);
      const value = secrets(name, place);
      if (value === undefined) throw new SysError("EACCES", `${name} is not for this place`);
      return value;
    },
  };
}
