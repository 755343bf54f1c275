// The cities of the marketplace, offered where a person or a task says where it is. Free text is allowed, too.
import { cities } from '../marketplace.config.ts'

export const CITIES: readonly string[] = cities.map(({ name }) => name)
