// Word lists of terms.ts: English function words, and inflected forms that no rule of stemming reaches. A list is
// part of the index format: a change of it is a new version of the weights.

const words = (text: string): string[] => text.trim().split(/\s+/);

export const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`
  a about above after again against all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn did didn do does doesn doing don done down during each else etc ever
  few for from further get gets getting got had hadn has hasn have haven having he her here hers herself him himself
  his how however i if in into is isn it its itself just let like ll made make makes many may maybe me might more
  most much must my myself no nor not now of off oh ok okay on once one only onto or other our ours ourselves out
  over own per please quite rather re really s same shall she should shouldn since so some such t than thanks that
  the their theirs them themselves then there these they thing things this those though through thus to too under
  until up upon us ve very via was wasn we well were weren what whatever when where whether which while who whom
  whose why will with within without won would wouldn yeah yep yes yet you your yours yourself
  `),
);

export const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `ate eaten:eat became:become began begun:begin bent:bend bit bitten:bite blew blown:blow bought:buy broke broken:break
  brought:bring built:build came:come caught:catch chose chosen:choose children:child dealt:deal drank drunk:drink
  drew drawn:draw drove driven:drive fallen fell:fall fed:feed feet:foot felt:feel flew flown:fly forgave:forgive
  forgot forgotten:forget fought:fight found:find froze frozen:freeze gave given:give geese:goose gone went:go
  grew grown:grow heard:hear held:hold hid hidden:hide hung:hang kept:keep knew known:know laid:lay led:lead
  learnt:learn leaves:leaf left:leave lent:lend lives:life lost:lose meant:mean men:man met:meet mice:mouse paid:pay
  people:person planning:plan ran:run rang rung:ring read:read ridden rode:ride risen rose:rise said:say sang sung:sing
  sat:sit saw seen:see sent:send sewn:sew shelves:shelf shone:shine shook shaken:shake shot:shoot shown:show
  slept:sleep slid:slide sold:sell sought:seek spent:spend spoke spoken:speak spun:spin stole stolen:steal stood:stand
  stuck:stick struck:strike swam swum:swim swore sworn:swear taken took:take taught:teach teeth:tooth told:tell
  thought:think threw thrown:throw torn tore:tear understood:understand wives:wife woke woken:wake women:woman
  won:win wore worn:wear written wrote:write worse worst:bad better best:good movie movies:film mum mom:mother
  dad:father kids kid:child`
    .trim()
    .split(/(?<=:\S+)\s+/)
    .flatMap((entry) => {
      const [forms = "", base = ""] = entry.split(":");
      return forms.split(/\s+/).map((form) => [form, base] as const);
    }),
);
