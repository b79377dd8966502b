/** The order matters, because many user agents also contain the names of browsers that they are compatible with. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
];
const SYSTEMS: [mark: RegExp, name: string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

export function describeBrowser(userAgent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([mark]) => mark.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
