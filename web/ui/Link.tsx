// A link to another screen, for components that are also drawn before the app has started: no router is there yet,
// and the link is the browser's own.
import { type ComponentProps, type ComponentType, createContext, use } from 'react'

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string }

/** The component that renders links: the router's, where there is a router. */
export const LinkKind = createContext<ComponentType<LinkProps>>(({ to, ...rest }) => (
  <a href={to} {...rest} />
))

/** `<Link to={taskPath(task.id)}>…</Link>` */
export function Link(props: LinkProps) {
  const Kind = use(LinkKind)
  return <Kind {...props} />
}
