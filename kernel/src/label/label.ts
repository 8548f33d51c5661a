// Labels: where what a process has read came from, and how secret it is. A process carries the join
// of all that it was told; joining only ever makes it less trusted and more secret.

import { integrities, secrecies, type Label } from "@aos/protocol";

export const CLEAN: Label = { integrity: "trusted", secrecy: "public" };

/** What a result without a label is taken for. */
export const UNLABELLED: Label = { integrity: "untrusted", secrecy: "public" };

export function join(a: Label, b: Label): Label {
  if (a === b) return a;
  const integrity =
    integrities[Math.max(integrities.indexOf(a.integrity), integrities.indexOf(b.integrity))]!;
  const secrecy = secrecies[Math.max(secrecies.indexOf(a.secrecy), secrecies.indexOf(b.secrecy))]!;
  if (integrity === a.integrity && secrecy === a.secrecy) return a;
  return { integrity, secrecy };
}

export const labelText = (label: Label): string => `${label.integrity}/${label.secrecy}`;

export function readLabel(text: string): Label {
  const [integrity, secrecy] = text.split("/") as [Label["integrity"], Label["secrecy"]];
  if (!integrities.includes(integrity) || !secrecies.includes(secrecy))
    throw new Error(`no label ${text}`);
  return { integrity, secrecy };
}

/** May what carries this label leave the machine? Secrets never do. */
export const mayLeave = (label: Label): boolean => label.secrecy !== "secret";
