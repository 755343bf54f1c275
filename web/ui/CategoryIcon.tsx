// One sign per kind of task, the same everywhere.
import {
  Armchair,
  BrushCleaning,
  Camera,
  Car,
  CookingPot,
  Drill,
  Droplets,
  Flower2,
  GraduationCap,
  Hammer,
  HardHat,
  House,
  Laptop,
  type LucideIcon,
  Package,
  PaintRoller,
  PawPrint,
  Shapes,
  ShoppingBasket,
  Shovel,
  Snowflake,
  Trees,
  Truck,
  Zap,
} from 'lucide-react'
import { classes } from './classes.ts'

const icons: Record<string, LucideIcon> = {
  'Snow Removal': Snowflake,
  Cleaning: BrushCleaning,
  Moving: Truck,
  'Moving & Delivery': Truck,
  Delivery: Package,
  Handyman: Hammer,
  Gardening: Flower2,
  'Pet Care': PawPrint,
  Painting: PaintRoller,
  'General Labor': HardHat,
  Assembly: Armchair,
  'Mounting & Installation': Drill,
  'Outdoor Help': Shovel,
  'Home Repairs': House,
  'Auto Services': Car,
  'Tech Support': Laptop,
  'Shopping & Errands': ShoppingBasket,
  'Meal Prep': CookingPot,
  Tutoring: GraduationCap,
  Photography: Camera,
  Electrical: Zap,
  Plumbing: Droplets,
  Landscaping: Trees,
}

/** `<CategoryIcon category={task.category} />`; an unknown category gets a general sign. */
export function CategoryIcon({ category, className }: { category: string; className?: string }) {
  const Icon = icons[category] ?? Shapes
  return <Icon aria-hidden className={classes('size-5 shrink-0', className)} />
}
