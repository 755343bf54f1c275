// The part of js-yaml that tests use, which brings no types.
declare module 'js-yaml' {
  /** Reads one document of YAML 1.2; throws YAMLException. */
  export function load(text: string): unknown
}
