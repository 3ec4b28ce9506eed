// The pages for visitors, in one chunk because they are small and lead to each other.

export { Forgot } from './forgot.tsx'
export { Join } from './join.tsx'
export { SignIn } from './sign-in.tsx'
export { WaitingRoom } from './waiting-room.tsx'
export { Welcome } from './welcome.tsx'
