// A field may have the name `submit`, and then be what `form.submit` is.
HTMLFormElement.prototype.submit.call(document.querySelector('form'))
