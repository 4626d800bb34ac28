import { defineAsset } from './assets.ts'

const assetOf = (name: string) => defineAsset(new URL(`assets/${name}`, import.meta.url))

/** Of every page. */
export const baseStyles = assetOf('base.css')
export const hostedStyles = assetOf('hosted.css')
/** Sends the form of a page. */
export const sendForm = assetOf('send-form.js')
