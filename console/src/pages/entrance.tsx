// The pages for visitors, in one chunk because they are small and lead to each other.

export { Forgot } from './entrance/forgot.tsx'
export { Join } from './entrance/join.tsx'
export { SignIn } from './entrance/sign-in.tsx'
export { WaitingRoom } from './entrance/waiting-room.tsx'
export { Welcome } from './entrance/welcome.tsx'
