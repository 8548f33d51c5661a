// Printable: escapes the output of an agent, which could otherwise control the terminal.

import { visibleText } from "@aos/protocol/visible-text";

export const printable = visibleText;

/** The styles that this program writes itself; none of them hides anything. */
// oxlint-disable-next-line no-control-regex
const STYLES = /(\u001b\[(?:0|1|2|3|4|22|23|24|31|32|33|34|35|36|39)m)/;

/** The same for a text that has our own colours in it. */
export const printableStyled = (text: string): string =>
  text
    .split(STYLES)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join("");

/** A value of several lines, so that no line of it looks like one of ours. */
export const indented = (text: string): string => printable(text).replaceAll("\n", "\n    ");
