// FollowedEnd: what grows at its end is followed while the reader is there, and left alone while the reader is not.

import { useEffect, useRef, type RefObject } from "react";

/** So near to the bottom of the page counts as being there. */
const NEAR_PX = 160;

/** For the element at the end; `length` is whatever grows with the content. */
export function useFollowedEnd(length: number, isLive: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isThere = useRef(false);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      isThere.current = scrollHeight - innerHeight - scrollY < NEAR_PX;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useEffect(() => {
    if (isLive && isThere.current) end.current?.scrollIntoView({ block: "end" });
  }, [length, isLive]);
  return end;
}
