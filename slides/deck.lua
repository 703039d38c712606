-- deck.lua: what pandoc does not know of: slides, code by the names of C, figures, links to exercises, the agenda. How a
-- chapter is written: slides/README.md. What is missing or does not fit stops the build, exit 83, with file, slide, reason.
local figures, tools, table_of_exercises, mine, lists = "", "lib/commands", "", false, nil
local file, slide, n_figures = "", "", 0
local told = {}                                        -- exercises whose slide has been shown
local wanted, ids, exercises = {}, {}, {}
local before = { half = 0, two = 0 }                    -- minutes of the slides before the first chapter

local function fault(...)
  io.stderr:write(string.format("slides: %s, slide '%s': ", file, slide), string.format(...), "\n")
  os.exit(83)
end

local function read(path)
  local stream = io.open(path, "rb")
  local text = stream and stream:read("a")             -- nil of a folder
  if stream then stream:close() end
  return text or fault("no file %s", path)
end

-- excerpt("lib/a.c", "name"): the one definition of function, struct or macro `name`. Its text begins in column 1
-- and ends with the first } in column 1, as clang-format leaves it. Markers of solutions are taken out.
local function excerpt(path, name)
  local found, lines, head = {}, nil, nil
  local word = "%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]"
  for line in (read(path) .. "\n"):gmatch("(.-)\r?\n") do
    if lines then
      lines[#lines + 1] = line
      if line:match("^}") then found[#found + 1] = lines; lines = nil end
    elseif head then                                   -- a head of several lines, until its brace or semicolon
      head[#head + 1] = line
      if line:match("{%s*$") then
        local all = table.concat(head, " ")
        if all:match(word .. "%s*%(") then lines = head end
        head = nil
      elseif line:match(";%s*$") then head = nil end
    elseif line:match("^[%a_]") and not line:match(";%s*$") then
      if line:match("{%s*$") then
        if line:match(word) then lines = { line } end
      else head = { line } end
    end
  end
  if #found == 0 then fault("%s defines no %s", path, name) end
  if #found > 1 then fault("%s defines %s %d times", path, name, #found) end
  local kept = {}
  for _, line in ipairs(found[1]) do
    if not line:match("^%s*/%* SOLUTION.*%*/%s*$") and not line:match("^%s*/%* END %*/%s*$") then kept[#kept + 1] = line end
  end
  return kept
end

-- ```{.c from="lib/kernels/omp/spmv_csr.c" name="spw_spmv_csr_omp" first="for" last="y[i] = sum"}
local function CodeBlock(b)
  local from = b.attributes.from
  if not from then
    for line in (b.text .. "\n"):gmatch("(.-)\n") do
      if utf8.len(line) and utf8.len(line) > 88 then fault("a line of %d characters", utf8.len(line)) end
    end
    return nil
  end
  local slug = from:match("^solutions/%d+%-([^/]+)")
  if slug and not told[slug] then fault("shows the solution of %s before its slide #your-turn-%s", slug, slug) end
  if b.text ~= "" then fault("the block of %s is not empty: its text comes from there", from) end
  local name = b.attributes.name or fault('from="%s" has no name=', from)
  local lines = excerpt(from, name)
  local function one(pattern, begin)                   -- the only line with this text
    local at
    for k = begin, #lines do
      if lines[k]:find(pattern, 1, true) then
        if at then fault("'%s' stands twice in %s of %s", pattern, name, from) end
        at = k
      end
    end
    return at or fault("no '%s' in %s of %s", pattern, name, from)
  end
  local k1 = b.attributes.first and one(b.attributes.first, 1) or 1
  local k2 = b.attributes.last and one(b.attributes.last, k1) or #lines
  local text, indent = {}, 99
  for k = k1, k2 do
    local spaces = lines[k]:match("^( *)[^ #]")       -- #pragma stands in column 1
    if spaces and #spaces < indent then indent = #spaces end
  end
  for k = k1, k2 do text[#text + 1] = lines[k]:match("^#") and lines[k] or lines[k]:sub(indent + 1) end
  for _, line in ipairs(text) do
    if #line > 88 then fault("%s, %s: a line of %d characters", from, name, #line) end
  end
  local code = pandoc.CodeBlock(table.concat(text, "\n"), { class = from:match("%.cuh?$") and "cpp" or "c" })
  return pandoc.Div({ code, pandoc.Plain { pandoc.Span({ pandoc.Str(from) }, { class = "from" }) } }, { class = "excerpt" })
end

-- ![what is seen](figure:roofline): a picture of gnuplot becomes a part of the page, by inline_svg.awk
local function Image(i)
  local name = i.src:match("^figure:([%w-]+)$")
  if not name then fault("image %s: only figure:NAME, so that the page stands alone", i.src) end
  local alt = pandoc.utils.stringify(i.caption)
  if alt == "" then fault("figure %s has no words for those who cannot see it", name) end
  n_figures = n_figures + 1
  local svg = read(figures .. "/" .. name .. ".svg")
  return pandoc.RawInline("html", pandoc.pipe("awk",
    { "-v", "id=f" .. n_figures .. "-", "-v", "alt=" .. alt:gsub("\\", "/"), "-f", tools .. "/inline_svg.awk" }, svg))
end

-- [](exercise:cg)  [](file:lib/formats/csr.h)  [text](slide:knee)  [text](https://...)
local function Link(l)
  local kind, what = l.target:match("^(%a+):(.*)")
  if kind == "exercise" then
    local e = exercises[what] or fault("no exercise %s", what)
    if #l.content == 0 then l.content = { pandoc.Str("exercise\u{a0}" .. e.number) } end
    l.target = "book.html#exercise-" .. e.number
  elseif kind == "file" then
    read(what)
    return pandoc.Code(what)
  elseif kind == "slide" then
    wanted[#wanted + 1] = { id = what, file = file, slide = slide }
    l.target = "#" .. what
  elseif kind ~= "https" then
    fault("link %s: exercise:SLUG, file:PATH, slide:ID or https:", l.target)
  end
  return l
end

-- ::: agenda: the chapters with their minutes, for the half day and for the two days
local function Agenda(d)
  if not d.classes:includes("agenda") then return nil end
  local rows, half, two = { "| | half day | two days |", "| --- | --- | --- |" }, before.half, before.two
  for _, c in ipairs(lists) do
    rows[#rows + 1] = string.format("| [%s](#%s) | %s | %d min |", c.title, c.id, c.half > 0 and string.format("%d min", c.half) or "–", c.two)
    half, two = half + c.half, two + c.two
  end
  rows[#rows + 1] = string.format("| **Slides and exercises, without breaks** | **%d min** | **%d min** |", half, two)
  d.content = pandoc.read(table.concat(rows, "\n"), "markdown").blocks
  return d
end

-- What every slide needs; `s` is the slide, with its notes among what it contains.
local function examine(s)
  local notes
  for _, b in ipairs(s.content) do
    if b.t == "Div" and b.classes:includes("notes") then notes = b end
  end
  if not notes then fault("no speaker notes") end
  if s.classes:includes("exercise") then
    local slug = s.identifier:match("^your%-turn%-(.+)$")
    local e = exercises[slug or ""] or fault("#%s is not #your-turn-SLUG of an exercise", s.identifier)
    if s.attributes["data-minutes"] ~= e.minutes then fault("minutes=%s, the exercise has %s", s.attributes["data-minutes"], e.minutes) end
  elseif not s.classes:includes("chapter") and not s.classes:includes("title") then
    local has = {}
    for _, p in ipairs(notes.content) do
      local word = p.t == "Para" and pandoc.utils.stringify(p):match("^(%a+):")
      if word then
        has[word] = true
        if word == "Ask" or word == "Wrong" then p.content[1] = pandoc.Strong { p.content[1] } end
      end
    end
    if not has.Ask or not has.Wrong then fault("the notes need a paragraph 'Ask: ...' and a paragraph 'Wrong: ...'") end
  end
  local number = pandoc.RawBlock("html", '<div class="number"><b>' .. (s.attributes["data-day"] == "half" and "half day" or "two days") ..
    "</b><span></span></div>")
  if not s.classes:includes("title") then s.content:insert(number) end
end

-- About how many px of height these blocks take, in lines of so many characters. A slide that leaves much empty gets larger type, class `roomy` in deck.css.
local function height(blocks, chars)
  local sum = 0
  for _, b in ipairs(blocks) do
    if b.t == "Table" then
      local lines = pandoc.List(b.head.rows) .. b.bodies[1].body
      local rows = #lines
      for _, row in ipairs(lines) do
        local all, widest = 0, 0
        for _, c in ipairs(row.cells) do
          local n = utf8.len(pandoc.utils.stringify(c.contents))
          all, widest = all + n, math.max(widest, n)
        end
        if all > chars + 10 or widest * #row.cells > 1.5 * chars then rows = rows + 1 end
      end
      sum = sum + 46 * rows + 20
    elseif b.t == "CodeBlock" then
      local _, lines = b.text:gsub("\n", "")
      sum = sum + 30 * (lines + 1) + 56
    elseif b.t == "BulletList" or b.t == "OrderedList" then
      for _, item in ipairs(b.content) do sum = sum + 10 + height(item, chars) end
    elseif b.t == "Div" and b.classes:includes("columns") then
      local most = 0
      for _, c in ipairs(b.content) do most = math.max(most, height(c.content, chars / #b.content)) end
      sum = sum + most + 22
    elseif b.t == "Div" and b.classes:includes("fill") then
      return 1000
    elseif b.t == "Div" and b.classes:includes("big") then
      sum = sum + 120
    elseif b.t == "Div" and not (b.classes:includes("notes") or b.classes:includes("source") or b.classes:includes("takeaway")) then
      sum = sum + height(b.content, chars)
    elseif b.t == "Para" or b.t == "Plain" then
      local formulas = 0
      for _, i in ipairs(b.content) do if i.t == "Math" and i.mathtype == "DisplayMath" then formulas = formulas + 1 end end
      sum = sum + (formulas > 0 and 130 * formulas or 36 + 36 * math.floor(utf8.len(pandoc.utils.stringify(b)) / chars))
    end
  end
  return sum
end
local function roomy(s)
  local has_takeaway, widest = false, 0
  for _, b in ipairs(s.content) do has_takeaway = has_takeaway or b.t == "Div" and b.classes:includes("takeaway") end
  pandoc.walk_block(s, { CodeBlock = function(c) for line in c.text:gmatch("[^\n]+") do widest = math.max(widest, #line) end end })
  if has_takeaway and widest <= 72 and not s.classes:includes("dense") and height(s.content, 70) <= 300 then s.classes:insert("roomy") end
end

-- # Chapter {#id minutes=1 day=half}  and  ## Slide {#id minutes=2}  begin a slide each; the notes lie in ::: notes.
local function collect(doc)
  local slides, current, day, bare = {}, nil, nil, nil
  lists = {}
  for _, b in ipairs(doc.blocks) do
    local mark = b.t == "RawBlock" and b.text:match("^<!%-%- chapter (%S+) %-%->")
    if mark then
      file, slide, current, bare = mark, "(before the first)", nil, true
      slides[#slides + 1] = b
    elseif b.t == "Header" and b.level <= 2 then
      slide = pandoc.utils.stringify(b.content)
      local m = b.attributes.minutes
      if not tonumber(m) then fault("no minutes=") end
      if b.identifier == "" then fault("no #id") end
      if ids[b.identifier] then fault("two slides #%s", b.identifier) end
      ids[b.identifier] = true
      if b.level == 1 then day = b.attributes.day end
      local mine_day = b.attributes.day or day
      if mine_day ~= "half" and mine_day ~= "two" then fault("day=%s, must be half or two", tostring(mine_day)) end
      local classes = { "section", "slide" }
      if b.level == 1 and not b.classes:includes("title") then classes[3] = "chapter" end
      for _, c in ipairs(b.classes) do classes[#classes + 1] = c end
      current = pandoc.Div({ pandoc.Header(b.level, b.content, { ["data-minutes"] = m }) }, pandoc.Attr(b.identifier, classes,
        { { "data-minutes", m }, { "data-day", mine_day }, { "data-file", file } }))
      if b.classes:includes("mine") and not mine then
        ids[b.identifier] = nil
      else
        slides[#slides + 1] = current
        if b.level == 1 and classes[3] == "chapter" then lists[#lists + 1] = { title = slide, id = b.identifier, half = 0, two = 0 } end
        local c = lists[#lists]
        c = c or before
        if mine_day == "half" then c.half = c.half + tonumber(m) end
        c.two = c.two + tonumber(m)
      end
      bare = false
    elseif bare ~= false then
      fault("text outside a slide")
    else
      current.content:insert(b)
    end
  end
  return slides
end

local function settings(meta)
  local function text(key) return meta[key] and pandoc.utils.stringify(meta[key]) or "" end
  figures, mine, table_of_exercises = text("figures"), text("mine") ~= "", text("exercises")
  for line in io.lines(table_of_exercises) do
    local name, number, _, _, _, minutes = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t")
    exercises[name:gsub("^%d+%-", "")] = { number = number, minutes = minutes }
  end
end

-- Slides are told apart first, so that a fault can name the one it is in.
return {
  { Meta = settings },
  { Pandoc = function(doc)
      doc.blocks = collect(doc)
      for k, s in ipairs(doc.blocks) do
        if s.t == "Div" then
          file, slide = s.attributes["data-file"], pandoc.utils.stringify(s.content[1].content)
          s.attributes["data-file"] = nil
          told[s.identifier:match("^your%-turn%-(.+)$") or ""] = true
          examine(s)
          doc.blocks[k] = pandoc.walk_block(s, { CodeBlock = CodeBlock, Image = Image, Link = Link })
          doc.blocks[k] = pandoc.walk_block(doc.blocks[k], { Div = Agenda })
          roomy(doc.blocks[k])
        end
      end
      for _, w in ipairs(wanted) do
        file, slide = w.file, w.slide
        if not ids[w.id] then fault("slide:%s leads nowhere", w.id) end
      end
      return doc
    end },
}
