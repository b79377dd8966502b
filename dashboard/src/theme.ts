import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const evergreen: MantineColorsTuple = [
  '#effaf5',
  '#dcf2e7',
  '#b5e4cf',
  '#8ad5b4',
  '#64c79c',
  '#45b585',
  '#2f9c6f',
  '#1c7d57',
  '#146646',
  '#0d4f36',
];

/** Replaces Mantine's dark grays, which look brownish next to our surfaces. */
const dark: MantineColorsTuple = [
  '#dde1e6',
  '#b9bfc8',
  '#a4abb5',
  '#6b7480',
  '#3a4047',
  '#2c3036',
  '#22262b',
  '#1b1e22',
  '#16181b',
  '#131517',
];

/** Without this role, a dialog's header would be a second banner landmark on the page. */
const attributes = { header: { role: 'presentation' } };
const closeButtonProps = { 'aria-label': 'Close' };

export const theme = createTheme({
  primaryColor: 'evergreen',
  colors: { evergreen, dark },
  // Lighter shades have too little contrast with white text (WCAG 1.4.3).
  primaryShade: 7,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "'Inter', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif, 'Noto Color Emoji'",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Liberation Mono', monospace",
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.0625rem' } } },
  components: {
    Badge: { defaultProps: { variant: 'default', size: 'sm', tt: 'none' } },
    // Only the main action of a page or a dialog has the variant `filled`.
    Button: { defaultProps: { size: 'sm', variant: 'default' } },
    Modal: {
      defaultProps: {
        attributes,
        centered: true,
        radius: 'lg',
        withCloseButton: false,
        closeButtonProps,
        overlayProps: { blur: 2 },
        // Do not fade out: a dialog may show a secret, and closing a dialog clears its content.
        transitionProps: { exitDuration: 0 },
      },
      styles: { title: { fontWeight: 600 } },
    },
    Drawer: { defaultProps: { attributes, closeButtonProps }, styles: { title: { fontWeight: 600 } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close notification' } } },
    TextInput: { defaultProps: { withAsterisk: false } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    // Mantine's focus placeholder is not a valid child of a menu (WAI-ARIA). Without it, the first item gets
    // the focus.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } },
  },
});

/** Our own colors, and replacements for Mantine's that have too little contrast for small text (WCAG 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6470',
    '--mantine-color-error': '#b42318',
    '--mantine-color-placeholder': '#6b7480',
    '--surface': '#ffffff',
    '--canvas': '#f8f9fa',
    '--line': '#e4e7eb',
    '--hover': '#f1f3f5',
    '--accent-text': '#146646',
    '--selected': '#e8f5ef',
  },
  dark: {
    '--mantine-color-body': '#16181b',
    '--mantine-color-dimmed': '#a4abb5',
    '--mantine-color-error': '#ff8f85',
    '--mantine-color-placeholder': '#949ca7',
    '--surface': '#1b1e22',
    '--canvas': '#131517',
    '--line': '#2c3036',
    '--hover': '#24282d',
    '--accent-text': '#8ad5b4',
    '--selected': '#1d2f28',
  },
});
