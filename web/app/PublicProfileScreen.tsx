// /profile/{id}, put together: features never import each other, so the heart of the taskers' lists is handed in here.
import { PublicProfilePage } from '../features/profile/PublicProfilePage.tsx'
import { FavouriteButton } from '../features/taskers/components/FavouriteButton.tsx'

export default function PublicProfileScreen() {
  return <PublicProfilePage FavouriteButton={FavouriteButton} />
}
