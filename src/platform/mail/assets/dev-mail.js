// Puts new rows on top. Reloading the page would lose the reader's selection and focus.
const list = document.querySelector('ul')
setInterval(async () => {
  if (document.hidden) return
  try {
    const { body } = new DOMParser().parseFromString(await (await window.fetch(location.href)).text(), 'text/html')
    const rows = [...body.querySelectorAll('li')].filter(({ id }) => !document.getElementById(id))
    if (rows.length === 0) return
    list.prepend(...rows)
    document.querySelector('[role=status]').textContent = `${rows.length} new`
  } catch {}
}, 3000)
