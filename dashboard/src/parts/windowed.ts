// Windowed: of a long list only the rows near the screen are drawn, between two spaces as high as the rest.
//
//   const { shown, before, after, measure } = useWindowed(list, { count, rowPx })
//
// WINDOWED-1  A short list is drawn whole: it can be printed, and searched by the browser.

import { useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useState, type RefObject } from "react";

const DRAWN_WHOLE = 120;
const OVERSCAN = 12;

interface WindowedList {
  /** The indexes that are drawn. */
  readonly shown: readonly number[];
  /** Pixels above and below them. */
  readonly before: number;
  readonly after: number;
  /** The ref of each row, which also has its index as `data-index`: rows may have any height. */
  readonly measure: ((row: Element | null) => void) | undefined;
  readonly scrollTo: (index: number) => void;
}

export function useWindowed(
  list: RefObject<HTMLElement | null>,
  { count, rowPx }: { count: number; rowPx: number },
): WindowedList {
  const isWhole = count <= DRAWN_WHOLE; // WINDOWED-1
  const [top, setTop] = useState(0);
  // What is above may have grown since.
  useLayoutEffect(() => {
    if (isWhole || list.current === null) return;
    const now = Math.round(list.current.getBoundingClientRect().top + window.scrollY);
    if (now !== top) setTop(now);
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: top,
    enabled: !isWhole,
  });
  if (isWhole)
    return { shown: [...Array(count).keys()], before: 0, after: 0, measure: undefined, scrollTo };
  return { ...drawn(virtualizer, top), scrollTo };

  function scrollTo(index: number): void {
    if (!isWhole) virtualizer.scrollToIndex(index);
  }
}

function drawn(virtualizer: Virtualizer<Window, Element>, top: number) {
  const items = virtualizer.getVirtualItems();
  return {
    shown: items.map(({ index }) => index),
    before: (items[0]?.start ?? top) - top,
    after: virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top),
    measure: virtualizer.measureElement,
  };
}
