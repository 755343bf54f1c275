// Writing into an input in a way that React and its forms take for typing.

const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set

export function setInputValue(input: HTMLInputElement, value: string) {
  setter?.call(input, value)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}
