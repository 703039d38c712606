-- book.lua: all texts of the workbook become one document. Called by lib/commands/book.sh from the tree's root with an
-- empty document and -M exercises=FILE, the table of lib/commands/exercises.sh; what there is, is found in the tree:
--
--     README.md                                   the workbook            #workbook
--     exercises/openmp.md                         OpenMP on one page      #openmp
--     exercises/cluster.md                        On a cluster            #cluster
--     exercises/parts.tsv                         parts, their theory     #part-1
--     exercises/06-spmv-csr/README.md             an exercise             #exercise-6, its headings #e6-the-model
--         and other pages there, as README_gpu.md                         #exercise-6-gpu
--         hints.md, hints_gpu.md                  folded                  #hints-6, #hints-6-gpu
--     solutions/06-spmv-csr/NOTES.md and others   folded, as answers      #notes-6
--     exercises/glossary.md                       words and symbols       #glossary
--     solutions/README.md                         for instructors         #instructors
--
-- A link to one of these files leads to its place; one to any other file of the tree becomes its path. A link that leads
-- nowhere, or a figure that is not there or has no words, stops the build with exit status 83 and a line.

local function fault(...)
  io.stderr:write("book: ", string.format(...), "\n")
  os.exit(83)
end

local function read(path)
  local file = io.open(path, "rb") or fault("no file %s", path)
  local text = file:read("a")
  file:close()
  return text
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function lines(command, ...)
  local list = pandoc.List()
  for line in pandoc.pipe("sh", { "-c", command, "sh", ... }, ""):gmatch("[^\n]+") do list:insert(line) end
  return list
end

-- --- where files are in the book, and what was linked to ------------------------------------------------------------
local place = {}                 -- path of a file -> the id at which it begins
local prefix = {}                -- path of a file -> what the ids of its headings begin with
local ids, wanted = {}, {}       -- id -> where it is; id -> who links to it
local exercises = {}             -- number -> true

local function give(id, path)
  if ids[id] then fault("%s: the id %s is there twice", path, id) end
  ids[id] = path
end

-- "a/b/../c" without the dots
local function plain(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then table.remove(parts) elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

-- The id that a link of the file `from` leads to; nil: to a file that is not in the book.
local function target(link, from)
  local path, heading = link:match("^([^#]*)#?(.*)$")
  local folder = from:match("^(.*)/[^/]*$")
  path = path == "" and from or plain((folder and folder .. "/" or "") .. path)
  if place[path .. "/README.md"] then path = path .. "/README.md" end
  local id = place[path]
  if not id then
    if not exists(path) then fault("%s: the link %s leads nowhere", from, link) end
    return nil, path
  end
  if heading ~= "" then id = prefix[path] .. "-" .. heading end
  wanted[id] = from
  return id
end

-- --- formulas -------------------------------------------------------------------------------------------------------
-- On the pages of theory a block that is indented by four is a formula, in words as  (√κ − 1) / (√κ + 1). It becomes
-- TeX, of which pandoc makes MathML: a fraction of what stands to the left and right of " / ", roots, indices, powers.
local letter = "[%z\1-\127\194-\244][\128-\191]*"
local tex_of = { ["∈"] = "\\in ", ["≤"] = "\\le ", ["≥"] = "\\ge ", ["≈"] = "\\approx ", ["≠"] = "\\ne ", ["·"] = "\\cdot ",
  ["×"] = "\\times ", ["−"] = "-", ["…"] = "\\dots ", ["½"] = "\\tfrac12 ", ["∞"] = "\\infty ", ["‖"] = "\\| ", ["*"] = "{*}",
  ["ᵀ"] = "^{\\mathsf T}", ["⁻"] = "^{-}", ["¹"] = "^{1}", ["²"] = "^{2}", ["³"] = "^{3}", ["⁶"] = "^{6}", ["⁸"] = "^{8}" }
local functions = { max = true, min = true, cos = true, sin = true, cot = true, ln = true, log = true, exp = true }
local small = { of = true, ["in"] = true, is = true, to = true, by = true, at = true }
local function is_word(w) return w and (small[w] or #w > 2 and not functions[w]) end
local function bare(tex) return (tex:gsub("^\\left%((.*)\\right%)$", "%1")) end

local function formula(text)
  text = text:gsub("⁻¹", "\1")
  local at = 1
  local function peek() return text:match("^" .. letter, at) or "" end
  local expression

  -- one operand: a word, a letter, a number or what stands in brackets, with its index and power, and the brackets behind it
  local function atom()
    local c, out = peek(), nil
    if c == "√" then
      at = at + #c
      return "\\sqrt{" .. bare(atom()) .. "}"
    elseif c == "(" then
      at = at + 1
      out = "\\left(" .. expression(")") .. "\\right)"
      at = at + 1
    elseif c == "‖" then
      at = at + #c
      out = "{\\lVert " .. expression("‖") .. "\\rVert}"
      at = at + #c
    else
      local word = text:match("^%a%a+", at) or text:match("^%d[%d.]*", at)
      if word and word:match("%a") then
        at = at + #word
        out = functions[word] and "\\" .. word .. " " or #word == 2 and "\\mathit{" .. word .. "}" or "\\operatorname{" .. word .. "}"
      else
        word = word or c
        at = at + #word
        out = word == "\1" and "^{-1}" or tex_of[word] or word
      end
    end
    while at <= #text do
      local mark = peek()
      if mark == "_" or mark == "^" then
        at = at + 1
        local word = text:match("^%a%a+", at)
        local inner
        if word then at = at + #word; inner = functions[word] and "\\" .. word or (#word == 2 and "\\mathit{" or "\\text{") .. word .. "}"
        else inner = bare(atom()) end
        out = out .. mark .. "{" .. inner .. "}"
      elseif mark == "*" or mark == "\1" or mark == "ᵀ" then
        at = at + #mark
        out = out .. (mark == "*" and "^{*}" or mark == "ᵀ" and "^{\\mathsf T}" or "^{-1}")
      elseif mark == "(" and out:match("^\\%a+") and not out:match("^\\left") then out = out .. atom()
      else break end
    end
    return out
  end

  function expression(close)
    local out = {}
    while at <= #text and peek() ~= close do
      local space = text:match("^ +", at)
      local words = text:match("^%a+ *", at)
      if words and text:match("^[(_^]", at + #words) then words = nil end
      if space then
        at = at + #space
      elseif words and is_word(words:match("%a+")) then
        while is_word(text:match("^%a+", at + #words)) do words = words .. text:match("^%a+ *", at + #words) end
        at = at + #words
        out[#out + 1] = "\\text{ " .. words .. "}"
      elseif text:match("^/ ", at) and #out > 0 then
        at = at + 2
        out[#out] = "\\frac{" .. bare(out[#out]) .. "}{" .. bare(atom()) .. "}"
      else out[#out + 1] = atom() end
    end
    return table.concat(out, " ")
  end
  return expression("")
end

-- x_k, ‖u‖_A, A^(k−1) in running text: an index or a power behind one letter or a bracket.
local function indices(s)
  local out, rest = pandoc.List(), s.text
  while true do
    local before, mark, inner, after = rest:match("^(.-)([_^])(%b())(.*)$")
    local before2, mark2, inner2, after2 = rest:match("^(.-)([_^])(%w+)(.*)$")
    if before2 and (not before or #before2 < #before) then before, mark, inner, after = before2, mark2, inner2, after2
    elseif before then inner = inner:sub(2, -2) end
    if not before or before == "" or before:match("[%w_][%w_]$") then break end
    out:insert(pandoc.Str(before))
    out:insert((mark == "_" and pandoc.Subscript or pandoc.Superscript) { pandoc.Str(inner) })
    rest = after
  end
  if #out == 0 then return nil end
  if rest ~= "" then out:insert(pandoc.Str(rest)) end
  return out
end

-- --- pictures --------------------------------------------------------------------------------------------------------
local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function base64(data)
  return (data:gsub("..?.?", function(s)
    local a, b, c = s:byte(1, 3)
    local n = a * 65536 + (b or 0) * 256 + (c or 0)
    local out = ""
    for shift = 18, 0, -6 do
      local d = (n >> shift) & 63
      out = out .. digits:sub(d + 1, d + 1)
    end
    return out:sub(1, #s + 1) .. ("="):rep(3 - #s)
  end))
end

-- In the page as it is, so that the page needs no other file; an EPUB takes the file into itself.
local function picture(image, from)
  local path = plain((from:match("^(.*/)") or "") .. image.src)
  local kind = ({ svg = "svg+xml", png = "png" })[path:match("%.(%w+)$")]
  if not kind then fault("%s: %s is neither SVG nor PNG", from, image.src) end
  if #image.caption == 0 then fault("%s: the picture %s has no words for those who cannot see it", from, image.src) end
  local data = read(path)
  image.src = FORMAT:match("epub") and path or "data:image/" .. kind .. ";base64," .. base64(data)
  image.title = ""
  return image
end

-- --- a file ----------------------------------------------------------------------------------------------------------
local function register(path, id, ids_begin)
  place[path] = id
  prefix[path] = ids_begin
end

-- "exercise 6" in running text leads there; in the glossary the number alone, in brackets.
local function number_in_brackets(s, from)
  local before, number, after = s.text:match("^(%(?)(%d+)([,;.)]+)$")
  if not number or not exercises[tonumber(number)] or not (before .. after):match("[(,)]") then return nil end
  wanted["exercise-" .. number] = from
  return { pandoc.Str(before), pandoc.Link({ pandoc.Str(number) }, "#exercise-" .. number), pandoc.Str(after) }
end

local function mentions(list, from)
  local own = place[from]
  local out, k = pandoc.List(), 1
  while k <= #list do
    local a, space, b = list[k], list[k + 1], list[k + 2]
    local open, word = (a.t == "Str" and a.text or ""):match("^(%(?)([Ee]xercise)$")
    local number = word and b and (space.t == "Space" or space.t == "SoftBreak") and b.t == "Str" and b.text:match("^%d+")
    local id = number and exercises[tonumber(number)] and "exercise-" .. number
    if id and id ~= own then
      wanted[id] = from
      out:insert(pandoc.Str(open))
      out:insert(pandoc.Link({ pandoc.Str(word .. "\u{a0}" .. number) }, "#" .. id))
      if #b.text > #number then out:insert(pandoc.Str(b.text:sub(#number + 1))) end
      k = k + 3
    else
      out:insert(a)
      k = k + 1
    end
  end
  return out
end

-- The blocks of a file; headings `shift` levels lower, with ids of this book. The first heading, its title, is the place
-- of the file, and named `title` where that is given; where that is false, the file goes without it.
local function part(path, shift, title)
  local blocks = pandoc.read(read(path), "gfm-autolink_bare_uris").blocks
  local theory = path:match("^exercises/part%-")
  local first = true
  local function walk(filter) blocks = pandoc.walk_block(pandoc.Div(blocks), filter).content end
  walk { Header = function(h)
    local id = prefix[path] .. "-" .. h.identifier
    local content = h.content
    if first then
      first = false
      if title == false then return {} end
      id = place[path]
      if title then content = { pandoc.Str(title) } end
    end
    give(id, path)
    return pandoc.Header(math.min(6, h.level + shift), content, pandoc.Attr(id))
  end }
  if theory then
    walk { CodeBlock = function(c)
      if #c.classes == 0 and not read(path):find("```[^\n]*\n" .. c.text:gsub("%p", "%%%0")) then
        local math = pandoc.List()
        for line in c.text:gsub("    +", "\n"):gmatch("[^\n]+") do math:insert(pandoc.Para { pandoc.Math("DisplayMath", formula(line)) }) end
        return math
      end
    end, Str = indices }
  end
  walk {
    Inlines = function(list) return mentions(list, path) end,
    Code = function(c)
      local to = c.text:match("^[%w-]+/[%w./-]+%.md$") and exists(c.text) and place[c.text]
      if to then wanted[to] = path; return pandoc.Link({ c }, "#" .. to) end
    end,
    Str = function(s)
      if path:match("glossary") then return number_in_brackets(s, path) end
      local doi, after = s.text:match("^doi:(10%.%S-)([.,;:)]*)$")
      if doi then return { pandoc.Link({ pandoc.Str("doi:" .. doi) }, "https://doi.org/" .. doi), pandoc.Str(after) } end
    end,
    Image = function(image) return picture(image, path) end }
  walk { Link = function(l)
    if l.target:match("^https?:") or ids[l.target:sub(2)] or wanted[l.target:sub(2)] then return nil end
    local id, file = target(l.target, path)
    if id then
      l.target = "#" .. id
      -- "exercise 6" is a link of its own by now, also where it stood in one.
      l.content = pandoc.walk_inline(pandoc.Span(l.content), { Link = function(inner) return inner.content end }).content
      return l
    end
    return pandoc.Span(l.content, { class = "file", title = file })
  end }
  walk { Header = function(h) return pandoc.walk_block(h, { Link = function(l) return l.content end }) end }
  return blocks
end

-- In an EPUB each heading would begin a section, which <details> may not cut: there the headings within are bold words.
local function folded(id, summary, blocks, path)
  give(id, path)
  if FORMAT:match("epub") then
    blocks = pandoc.walk_block(pandoc.Div(blocks), { Header = function(h)
      return pandoc.Div({ pandoc.Para { pandoc.Strong(h.content) } }, pandoc.Attr(h.identifier))
    end }).content
  end
  local out = pandoc.List { pandoc.RawBlock("html", string.format("<details id=\"%s\">\n<summary>%s</summary>", id, summary)) }
  out:extend(blocks)
  out:insert(pandoc.RawBlock("html", "</details>"))
  return out
end

-- hints.md: a section "## a, b" for functions, in it "### Hint 1" and so on. Each hint is folded.
local function hints(path, number, suffix)
  local out = pandoc.List()
  local k, summary, inside = 0, nil, pandoc.List()
  local function close()
    if summary then out:extend(folded(("hint-%s%s-%d"):format(number, suffix, k), summary, inside, path)) end
    summary, inside = nil, pandoc.List()
  end
  for _, block in ipairs(part(path, 3, false)) do
    local words = block.t == "Header" and pandoc.utils.stringify(block.content)
    if words and words:match("^Hint %d") then
      close()
      k, summary = k + 1, words
    elseif words and block.level > 4 then
      close()
      out:insert(pandoc.Para { pandoc.Strong { pandoc.Code(words) } })
    elseif summary then inside:insert(block) end
  end
  close()
  return folded("hints-" .. number .. suffix, suffix == "" and "Hints" or "Hints for the GPU part", out, path)
end

local function named(path) return (path:match("([^/]+)%.md$"):lower():gsub("^readme[_-]", ""):gsub("[^%w]+", "-")) end

-- --- the book --------------------------------------------------------------------------------------------------------
function Pandoc(doc)
  local out = pandoc.List()
  local function heading(text, id)
    give(id, text)
    out:insert(pandoc.Header(1, text, pandoc.Attr(id)))
  end
  local function whole(path, shift, title) out:extend(part(path, shift, title)) end

  -- what there is, and where it will be
  local folders, parts = pandoc.List(), {}
  for line in read(pandoc.utils.stringify(doc.meta.exercises)):gmatch("[^\n]+") do
    local number, folder = line:match("^[^\t]+\t(%d+)\t([^\t]+)\t")
    if number then
      folders:insert { name = folder, number = tonumber(number), pages = pandoc.List(), notes = pandoc.List() }
      exercises[tonumber(number)] = true
    end
  end
  register("README.md", "workbook", "w")
  register("exercises/openmp.md", "openmp", "o")
  register("exercises/cluster.md", "cluster", "c")
  register("exercises/glossary.md", "glossary", "g")
  register("solutions/README.md", "instructors", "i")
  for line in read("exercises/parts.tsv"):gmatch("[^\n]+") do
    local number, title, page = line:match("^(%d+)\t([^\t]+)\t(%S+)$")
    if number then
      parts[tonumber(number)] = { title = title, page = "exercises/" .. page }
      register("exercises/" .. page, "theory-" .. number, "t" .. number)
    end
  end
  for _, f in ipairs(folders) do
    local n = f.number
    register("exercises/" .. f.name .. "/README.md", "exercise-" .. n, "e" .. n)
    for _, path in ipairs(lines("ls exercises/$1/*.md solutions/$1/*.md 2>/dev/null", f.name)) do
      if path:match("/hints") then
        local suffix = path:match("hints_(%w+)%.md$")
        register(path, "hints-" .. n .. (suffix and "-" .. suffix or ""), "h" .. n .. (suffix or ""))
      elseif path:match("^solutions/") then
        f.notes:insert(path)
        register(path, "notes-" .. n .. (path:match("/NOTES%.md$") and "" or "-" .. named(path)), "n" .. n .. (path:match("/NOTES%.md$") and "" or named(path)))
      elseif not path:match("/README%.md$") then
        f.pages:insert(path)
        register(path, ("exercise-%d-%s"):format(n, named(path)), "e" .. n .. named(path))
      end
    end
  end

  whole("README.md", 0, "The workbook")
  whole("exercises/openmp.md", 0)
  local in_part = false
  for _, f in ipairs(folders) do
    local p, n = parts[f.number], f.number
    if p then
      heading(p.title, "part-" .. n)
      whole(p.page, 1)
    end
    in_part = in_part or p
    if not in_part then fault("exercises/parts.tsv: exercise %d is in no part", n) end
    whole("exercises/" .. f.name .. "/README.md", 1)
    local left = lines("ls exercises/$1/hints*.md 2>/dev/null", f.name)
    -- the hints for README.md behind it, those for README_gpu.md behind that, and so on
    local function hints_for(suffix)
      for k, path in ipairs(left) do
        local own = path:match("/hints_(%w+)%.md$") or ""
        if own == suffix then
          out:extend(hints(path, n, own == "" and "" or "-" .. own))
          left:remove(k)
          return
        end
      end
    end
    hints_for("")
    for _, path in ipairs(f.pages) do
      whole(path, 2)
      hints_for(path:match("_(%w+)%.md$") or "")
    end
    while #left > 0 do hints_for(left[1]:match("/hints_(%w+)%.md$") or "") end
    local answers = pandoc.List()
    for _, path in ipairs(f.notes) do answers:extend(part(path, 3)) end
    if #answers > 0 then out:extend(folded("answers-" .. n, "Notes and answers to exercise " .. n .. ": read them when you are done", answers, "solutions/" .. f.name)) end
  end
  whole("exercises/cluster.md", 0)
  whole("exercises/glossary.md", 0)
  whole("solutions/README.md", 0)
  for id, from in pairs(wanted) do
    if not ids[id] then fault("%s: a link leads to #%s, which is not in the book", from, id) end
  end
  doc.meta.exercises = nil
  doc.meta.lang = "en"
  return pandoc.Pandoc(out, doc.meta)
end
