/** Icons as strokes on a 16 px grid. */
const paths = {
  now: 'M8 2v2M8 12v2M2 8h2M12 8h2M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h4l1 2h2l1-2h4',
  calls: 'M2 4h12M2 8h8M2 12h10',
  tools: 'M10 2a3.5 3.5 0 0 0-3 5l-5 5 2 2 5-5a3.5 3.5 0 0 0 5-4l-2.5 2L9 5.5z',
  sources: 'M3 4c0-1 2-2 5-2s5 1 5 2v8c0 1-2 2-5 2s-5-1-5-2zM3 4c0 1 2 2 5 2s5-1 5-2M3 8c0 1 2 2 5 2s5-1 5-2',
  policy: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  audit: 'M4 2h6l2 2v10H4zM6 6h4M6 8.5h4M6 11h2',
  metrics: 'M2 13h12M3 10l3-4 3 2 4-5',
  doctor: 'M3 3v4a3 3 0 0 0 6 0V3M6 10v1a3 3 0 0 0 6 0V9M12 9a1 1 0 1 0 0-2 1 1 0 0 0 0 2',
  connect: 'M6 10l4-4M5 7L3.5 8.500a2.800 2.800 0 0 0 4 4L9 11M7 5l1.500-1.500a2.800 2.800 0 0 1 4 4L11 9',
  keys: 'M5.500 8a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M7.500 9L13 3.500M11 5.500l2 2M9.500 7l1.500 1.500',
  check: 'M3 8.500l3.500 3.500L13 4.500',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2.500L14 13H2zM8 6.500v3M8 11v.500',
  question: 'M6 6a2 2 0 1 1 2.600 1.900c-.4.2-.6.5-.6 1V10M8 12v.500',
  clock: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11M8 5v3l2 1.500',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  play: 'M5 3.500v9l7-4.500z',
  sun: 'M8 5.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.500 3.500l1 1M11.500 11.500l1 1M12.500 3.500l-1 1M4.500 11.500l-1 1',
  moon: 'M12.500 9.500A5 5 0 0 1 6.500 3.500a5 5 0 1 0 6 6z',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  out: 'M6 3H3v10h3M7 8h6M11 5.500L13.500 8 11 10.500',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
} as const;
export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
