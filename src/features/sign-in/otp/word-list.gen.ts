// docs/internals/word-lists.md lists the sources, licences and rules of these words. word-list.test.ts asserts the
// rules. Codes are stored as hashes of the phrase, so a change here only affects codes made later.

/** The first word of a word-pair code, in alphabetical order: 2 048 modifiers, so 11 bits when drawn uniformly. */
export const FIRST_WORDS: readonly string[] = `
  abiding able abloom abridged absolute absorbed abstract abundant acacia academic accurate acorn acoustic acquired
  acrylic active actual adamant adapting adaptive adept adjacent adjusted admired admiring adorable adored adroit
  advanced advised aerated aerial affable aflutter agate ageless agile agleam aglow agreeing airborne airtight alcove
  alder alfresco aligned alive alkaline allegro allied alloy almanac almond alpaca alphabet alpine amaranth amazing
  amber ambient amenable amethyst amiable ample amused amusing anchored ancient andante angled angular animated anise
  annual anthem antique antlered apiary apparent applied applying apricot apt aqua aquatic arboreal arcade arched
  arching archival arctic ardent aromatic arranged arriving artful artistic arty aspen aspiring assorted assured aster
  astral astute athletic atlas atomic attached attended attic attuned auburn audible aurora autumn avian avid awaited
  awake awakened awarded awash awesome axial axiom azalea azure backyard badge baked bakery balanced balcony ballad
  balletic balloon ballroom balmy balsam bamboo banner banquet bantam banyan barley barn baroque basalt baseline
  bashful basil basket basking bayberry bayou beaded beaming beckoned bedrock beeswax begonia beige belted bendable
  bespoke best bicycle binary bionic birch blazing blended blending blissful blithe blooming blossom bluebell bluish
  boating bobbin bonfire bonny bonsai bookish botanic bouncing bouncy bouquet boutique bowling boxed boxwood boxy
  bracken braided braiding brainy bramble branched brave breezy brewing brick brief bright brimful brimming brindled
  bringing bristled bristly broad brocade bronzed brook brushed bubbling bubbly buckled bucolic budding buffed bugle
  building built bumpy bunched bundled bungalow buoyant burlap bursting bustling busy buttered buttery buttoned
  buzzing bygone cabin cactus calico calling camellia cameo campfire camping candid canny canopied canyon capable
  capering capstone caramel caravan carbon carefree careful carmine carnival carousel carpeted cartoon carved carving
  cascade cashmere castle casual catching cautious cavern cedar cello century ceramic cerise certain cerulean chalet
  chalked chalky changing chapter charcoal charmed charming chasing chatting chatty checked cheerful cheering cheery
  chewy chiffon chilled chiming chipper chirping chirpy chive chorus chosen chrome cinder cinnamon circled circling
  circuit circular circus citadel citron citrus city civil clapping clarion clasped classic classy clay clean clement
  clever climbing cloaked cloudy coached coastal coasting coated cobalt cobbled cobweb cocoa coffee cogent coherent
  cohesive coiled colossal column combined comedy comet comfy comic communal compact compass compiled complete
  composed compound concave concert concise confetti conical constant contour convex cooking cool copious coppery
  cordial cordless corduroy cork corner corridor corsage cosmos costumed cottage cotton counting country courtly cove
  covered crackly cradle crafted crafting crafty crater crayoned creative credible crepe crescent crested cricket
  crimson crinkled crinkly crispy crocus crooning crossing crowned cruising crumbled crumbly crunchy crusty crystal
  cubic cultured cumulus cupola curated curious curled curling curly current cursive cushy cyan cyclic cycling cypress
  dabbling daffodil dahlia daily dainty dancing dandy dapper dappled daring dashing dawdling daybreak daylight daytime
  dazzled dazzling debated debonair decent decimal decisive decked decorous defined definite deft delicate deluxe
  denim designed destined detailed devoted dewdrop dewy diagonal diagram diamond digital diligent dipped direct
  distant distinct diverse divided diving dockside dogwood domed domestic doodling doorstep dotted double dovetail
  downtown dozing drama drawing drawn dreaming dreamy drifting driven drizzled droll drowsy drummed drumming duet
  dulcet dune duplex durable dusk dusty dynamic dynamo eager early earned earnest earthen earthy easing easterly
  eastern eastward ebony echoing eclectic eclipse educated effusive elastic elated elective electric elegant elevated
  elfin elliptic elm eloquent embedded embossed emerald emergent emerging eminent emotive emphatic enabling enamel
  encased encored endless endorsed enduring engaged engaging engine engraved enhanced enjoyed enormous enriched entire
  epic epoch equal equine equinox equipped espresso esteemed estuary etched etching ethereal ethical even eventful
  everyday evident evoked evolving exact expanded expert express extended exterior extra exultant fabled fabric
  fabulous faceted fairway faithful fallow familiar family famous fanciful fancy fanfare fanning faraway farming fast
  fastened fearless feasible feathery featured feline fennel fern ferrous ferrying fervent festival festive festoon
  fibrous field fiery fiesta figured filigree filming filmy filtered finer finespun finished finite fireside firm
  first fitting fixed fizzy fjord flagship flame flannel flashy flat flawless flaxen flecked fledged fleecy fleeting
  flexible flint floating flocking floodlit floral florid flourish flowered flowing fluent fluffy fluted flyaway
  flying foamy focused foggy foldaway folded folding folksy fondant foothill footpath foraging foremost forested
  formal formed fortress forum foxglove fragrant framed freehand frequent fresco fresh friendly frilly fringed
  frontier frosted frosty frothy frozen frugal fruited fruitful fruity full funny furrowed future gadget gainful
  gaining galactic galaxy gallant galleon gallery galloped game garden gardenia garland garnet gathered gauzy gazebo
  gazing geared gemstone generous genial gentle genuine geodesic geranium giant gifted gigantic gilded ginger gingham
  glacier glad glass glazed gleaming gleeful glider glimmer glimpsed glinting glittery global globular glorious glossy
  gloved golden good gorgeous gossamer gourmet gracious graded gradual grain grammar granary grand granite granted
  granular grape graphic graphite grassy grateful gravelly gravity green greenish greeted greeting grinning gripping
  grooved grotto grouped grove growing guarded guava guided guiding gully gurgling gusting halcyon halo hamlet hammock
  handheld handmade happy hardback hardy harmonic harvest hatted hazel hazelnut hazy headland hearty heather hedge
  hedgerow heirloom helical helium helpful helping hemmed henna heralded heraldic herbal heritage heroic hibiscus
  hickory highland hiking hillside hilltop hilly hinged historic hobby hoisted holiday homemade homespun hometown
  homeward homey homing honest honeyed honorary hooded hopeful hopping horizon hotel hourly hovering huddled hued huge
  humane humble hushed hyacinth hybrid iced icicle iconic icy ideal idling idyllic igneous igniting imagined immense
  impish imported imposing improved inboard inbound incisive inclined included incoming indigo indoor infinite
  informal informed initial inked inkwell inky inlaid inlet inmost innate inner inspired intact integral intended
  intense intent intrepid invented inverse invited inviting inward iris ironclad ironed island ivory jade jagged
  jasmine jaunty jazzy jigsaw jingling jocular jogging joined joining joking jolly journey jovial joyful joyous
  jubilant jubilee juggling jukebox jumbo jumping juniper jute keen keeping kelp kettle keynote keystone kiln kilted
  kindling kindly kindness kindred kinetic kitchen knitted knitting known lacquer lacy ladled lagoon lake lakeside
  lambent landed landing larch larkspur laser lasting lateral latticed laudable laughing laureate laurel lava lavender
  lavish lawful lawn layered layering leafless leafy leaping learning leeward legato legend legible leisured lemony
  lengthy lenient lettered level library lidded lifelike lifelong lighted lilac lilting lily limber lime limerick
  linden linear lined linking linoleum liquid listed literary literate little lively local located lodge lofted lofty
  logical longhand longtime looped looping lopsided lotus lounging lovable lowland lucid lucky lullaby lulling
  luminous lunar lunch luncheon lush lustrous lyrical magenta magic magnetic magnolia mahogany majestic major mammoth
  mango manifold mantled manual mapped marbled marigold marine maritime market maroon marshy marzipan mastered matched
  mauve maximum meadow measured medieval medley melodic melting memory mending merged meridian merino merited mesa
  meshed metallic meteoric metric metro mica midair midday middle midfield midland midnight midsize midweek mighty
  milled mindful mineral mini minimal minimum minted mirrored mirthful misty mixing mobile mocha moderate modern
  modest modish modular mohair molten monsoon monthly monument moon moonless moonlit mooring mosaic mossy motif motley
  motored mountain moving muffled mulberry multiple musical muslin muted mutual myriad myrtle mythic named narrated
  narrow natural nature nautical nearby nearest nearing neat nebula nectar neon nesting nestled netted network neutral
  newfound nibbling nickel nifty nimble nimbus noble nocturne nodding nomadic nominal nonstop noonday northern notable
  notched notional nova novel novelty nudging numerous nursery nurtured nutmeg nutrient nutshell nylon oak oaken oasis
  oblate oblique oblong observed obsidian obvious ocean octagon octave offbeat offshore offstage ongoing onshore
  onstage onyx opaque open opera optical optimum optional opulent orange orbital orbiting orchard orchid ordered
  orderly ordinary organic oriented original ornate outback outboard outbound outdoor outer outgoing outlined outlying
  outpost outright outward oval overhead overland overt ovoid pacific pacing padded paddling paddock pagoda painless
  paisley palace palatial palm panorama papaya papery paprika parading parallel parasol park pastel pastime pastoral
  path patio pausing paved pavilion peaceful peachy pearl pebbled pebbly pecan peerless pendulum penned pensive
  peppery perched perching perfect perfumed periodic pewter phonetic phrased piano picked picnic pictured pillared
  pillow piloted pine pinkish pioneer piping piquant pitched pivotal pivoting pixel placed plaid planet planned
  planting plaster plateau platinum playful playing playtime plaza pleasant pleased pleasing plotted plumed poetic
  pointed poised polar polished polite polka pollen polo polyglot pond pooled poppy popular porch portable portrait
  posh possible postal postcard pottery powdered powdery powerful prairie praised prancing precious precise prelude
  premium prepared pressed pressing pretty primal primary primed primrose princely printing prism pristine profound
  profuse prolific prompt proper proposed proud proven prudent pruning pumice pumpkin pure purple purring puzzled
  puzzling pyramid quadrant quaint quantum quarried quarter quenched questing quick quiet quill quilted quince quirky
  quotable quoted radial radiant raffia railway rainbow rambled rambling ranch random ranked rapid rare rational
  rattan rattling ravine reading ready reasoned rebuilt recited recorded recycled reddish reeling refilled refining
  regal regatta regional regular rejoiced relaxed relaxing relevant reliable reliant relished remade remote renowned
  reserved resolute resolved resonant restful restyled retold reunited reusable revered revised reviving rhymed
  rhyming rhythmic ribbon ridged rightful rigorous ringlet rinsed ripe ripened rippled rippling rising river roadside
  roaming roan roasted robotic robust rocket rocky rococo rodeo rolled rolling roofed rooftop roomy roosting roseate
  rosemary rosewood rosy rotary rotated rotating rounded rousing royal ruby ruffling rugged rumpled running rural
  rushing russet rustic rustled saddled safari saffron saga sailboat sailing salient salon salted salty sampled sand
  sapphire satiny savanna savvy scaled scaling scallop scanning scarlet scenic scented science scooped scooter
  scooting scouted scripted scrolled scrubbed sculpted seaboard seaborne seafront seagoing seamless seaport seashell
  seashore seaside season seasonal seated seaward seaweed secluded select selfless semantic sensible sepia sequined
  sequoia serenade serene sesame settled shadow shale shamrock shaped shaping sharp shelved shielded shifting shimmery
  shingled shining shiny shore showing shrubby sidelong sideways sienna sierra silent silica silken silky silo silvery
  simmered simple sincere singing singular sizzling skating sketched skiing skilled skipping sky skylight skyline
  skyward slalom slanted slate sledding sleek sleepy sleeved sliced sliding slight sloped sloping smart smoky smooth
  snapped snappy snazzy snoozing snowdrop snowfall snowy soaring sociable soft solid soluble solved sonata sonic
  sonorous soothing sorbet sorrel sorted sorting soulful sounding southern spacious spangled spare sparkled sparkly
  speaking specific speckled spectrum speedy spicy spiffy spinning spiral spirited splashed splashy splendid splicing
  spoken spongy sporty spotless spotted spotting springy sprouted spruce spry spun square squash squeaky squiggly
  stable stadium stairway stalwart stamped stamping standing stapled starchy starlit starred starring starry stately
  static steady steaming steeped steering stellar stemmed stencil sterling stippled stitched stocked stony storied
  stormy stowed straw stream stretchy strewn striking striped stripy strong strummed studied studio studious sturdy
  styled stylish suave sublime subtle suburban succinct sugary suitable suited summery summing summit sunbeam sundial
  sunlight sunlit sunrise sunset sunshine super surefire surging surveyed swaying sweeping swept swift swimming
  swirling swirly swooping sycamore sylvan symbolic symphony tabby tacit tactful tactile taffeta tailored talented
  talking tall tamarind tandem tangible tangy tapered tapestry tapping tartan tasteful tasty taupe tawny teaching teak
  teamed tempo tender tenfold tennis tented terrace terrific textile textual textured thankful thatched thawed
  thematic theory thermal thicket thimble thinking thorough threaded thrifty thrilled thriving thunder thyme tidal
  tideland tidying tiered tiled timbered timeless timely tinkling tinsel tiny tiptoe tonal toned topaz topmost topped
  toured touring towering toy traced tracing trail trained training tranquil travel treasure treble treed treetop
  trekking trendy tribute trilling trimmed triple trolley tropic trotting true truffle trundled trusting truthful
  tubular tucked tufted tulip tumbling tundra tuneful tunic turf turmeric turned turning turret tweedy twiggy twilight
  twill twined twining twinkled twinkly twirled twisty twofold typed typical ultimate ultra umbrella unafraid unaided
  unbeaten unbroken uncoiled uncommon unerring unfading unfolded unframed unfurled unified unique uniting unpaved
  unsalted unspoken unsung untamed untold unused unveiled unwound upbeat upcoming upheld uphill upland uplifted
  upmarket upper upright upriver upscale upstairs upstream uptempo uptown upturned upward urban usable useful usual
  utmost utopia vacation valiant valley valuable valued vanilla variable varied various vaulted vaulting vector veined
  velour velvety verbena verdant vernal versed vertical viaduct vibrant viewing vigilant villa vineyard vintage violet
  virtual virtuous visible visiting vista visual vivid voiced volcanic voyage wafted wafting wakeful waking walnut
  waltzed waltzing warbling warm washable washed watchful watered wavy wayside wearable webbed wedged weekday weekend
  welcome westerly western westward wharf wheat wheaten whimsy whirling whisked whisking whisper whistle whittled
  wicker widened widening wiggly wild willowy winding windless windmill windward windy wing winsome wintered wintry
  wireless wiser wishful wishing wispy wisteria witty wobbling wobbly wondrous wooden woodland woodsy woodwind
  woodwork woolly worded wordy workable working worldly worthy woven wreathed writing written wrought yawning yearlong
  yodel yonder yummy zany zenith zephyr zesty zigzag zinc zinnia zippy
`
  .trim()
  .split(/\s+/)

/** The second word of a word-pair code, in alphabetical order: 2 048 nouns, disjoint from FIRST_WORDS, 11 bits. */
export const SECOND_WORDS: readonly string[] = `
  abacus ability abode academy acanthus accent accolade accuracy acre acronym action activity adage adverb advice
  aerosol agency aim aircraft airfield airliner airmail airport airship airstrip airway album alfalfa algebra allegory
  allspice allusion alpha ambition amenity amity ampere amulet anagram anchor anchovy anecdote anemone angle animator
  annex answer antelope antenna anthill antimony antler antonym anvil aperture apex apparel appetite applause apron
  aptitude aquanaut aquarium aqueduct aquifer arbutus arch archery archive archway arena argon argosy aria armada
  armchair aroma array arrow art article artistry artwork aside aspect asphalt asterisk atelier atoll atom atrium
  audio aura auto avatar aviation avocado awning axis axle backdrop backpack backstop badger bagel baggage bagpipe
  balance ballast ballet ballgame ballpark banister banjo banter baobab barge baritone barnacle barrette baseball
  basin bassoon bathtub bauxite bay beacon beagle beaker beam beanbag bedding beechnut beehive beeline beetle belfry
  bellhop bench beret beta bevy binder biology biplane birdbath birdcage birdseed birdsong birthday biscuit bison
  bistro blanket blazer blend blink blip bliss bloom bluebird blurb boat bobcat bobolink bobsled boiler bolster bonnet
  bookcase bookend booklet bookmark bookshop boron bottle bounce boundary box boxcar bracelet bracket bract braid bran
  branch bravery breadth breeze bridge brigade brine brioche bristle broccoli brochure bromine bronco bronze broth
  brush bubble bucket buckeye buckle buckskin budgie buffalo buffer bulb bulldog bulletin bullfrog bulrush bumper
  bundle bunting bureau burrito bushel bustle butter button buzzer byline bypath byword cabbage cabinet cable cadence
  calcite calcium calculus calendar camel camera camp campsite campus canary candy canoe canopy canteen capacity
  capstan capsule caption carafe caravel caraway carbide card cardigan cargo caribou carpet carriage carton cashew
  cassava cassette catalyst catapult catbird category catfish catkin catnip cattail catwalk causeway cave caviar
  celery cement ceremony chain chaise chamber champion change channel chariot charisma chart chasm chatter cheddar
  cheer cheese cheetah chervil chess chestnut chevron chickpea chicory chime chimney chip chipmunk choice choir
  chowder chromium chutney cicada cilantro cinema circle cistern clang clarinet clarity class clearing clef clematis
  cliff climber cloak cloth cloud clover clue cluster clutch coaster cobbler codfish coil colander coleslaw collar
  college collie colony comb comfort comma comment commerce company compote computer concept concerto concord concrete
  condor cone conifer conserve console context contrast conveyor cookbook cooker coolant copier corgi corn cornet
  cornmeal corolla costume couch counter county courage courtesy coverlet cowslip coyote crackle craft crag crane
  crayfish crayon creation crest crew crib crimp crinkle crochet croquet crossbar crown cruiser crumb cube cubicle
  cuisine culture cup cupboard cupcake cupful curio curl curlew curlicue cursor curtain curve cushion custard custom
  cutlery cyclamen cycle cygnet cylinder daisy dance data dawn daybed daydream debut decade decagon decal decanter
  decency decibel decision decor decorum delicacy delight denizen depot depth design desk desktop detail detector
  dewberry dial dialect diary diction digest dignity dinghy dinner dinosaur disco dish dishpan display district ditto
  divide doily dolphin domino doorbell doorknob doorpost doorway dormer dormouse dot doughnut dove downpour dragon
  drawer dream dresser dressing drift driveway drizzle droplet drum duckling dugout dulcimer dumpling duration dust
  dustpan duvet dynasty eaglet earmuff earphone earring earth easel eatery echo ecology economy edge editor eggcup
  eggshell egret eider electron elegance element elephant elevator elixir elk ellipse ember emblem emotion empathy
  emporium emu emulsion encore endive energy enigma ensemble entropy entry entryway envelope enzyme epicure epigram
  epilogue episode epoxy epsilon equation equator era eraser errand essay essence ethic ethos evening event example
  excerpt exercise exhibit exit expanse expo extent eyelet facade fact factory faculty fajita falcon farm farmland
  farmyard fashion fathom faucet fauna feast feather feature fedora feedback felt fence fender figure figurine
  filament filbert filly film filter finale finch finesse firefly firewood firework fishbowl fishpond fixture flag
  flagpole flamingo flapjack flask flatboat flatland fleece fleet flicker flight float flock floor flora flotilla
  flounder fluency fluff fluorine flurry flute flutter flywheel foam focus fold foliage folio folklore fondue font
  footage football foothold footing footnote footrest footstep footwear forage foray forecast forest fork forklift
  format formula foundry fountain foxhound foxtrot foyer fractal fraction fragment frame freedom freesia freeway
  freezer freight fringe fritter frolic frond frontage frost fuel fugue fulcrum fun function furlong gala galley
  gallium gallop gamma gamut gander gangway gannet gantry garage garbanzo garlic garment gasket gazelle gazette
  gearbox gecko gelatin genius genre gentian geode geology geometry gesture geyser gherkin gigabyte giggle ginkgo
  ginseng giraffe girder gizmo gladiola glance glaze gleam glen glide glimpse glisten glitter gloss glossary glove
  glow glowworm goal goalpost goblet goldfish gondola goodness goodwill goose gopher gorge goshawk gosling goulash
  grade grandeur granola granule graph grass gravel gravy grebe greenery grid griddle grocery groove guitar gulch gulf
  gumball gumbo gumdrop guppy gusto habitat hacienda haddock haiku hairpin halibut hallway hammer hamster handbag
  handball handbook handcart handful handle handout handrail handsaw handset harebell harmony harp harrier hat hatbox
  hawthorn hayloft hayride haystack headband headgear headlamp headline headroom headset headway headwind heap heater
  heath hedgehog height heliport helix helm helmet heptagon heron hexagon hideaway highway hill hillock hinge history
  hive hockey hoist holly hologram homeroom homework honesty honeybee hoop hooray hope hopper house hubcap hum
  humility hummock hunch hurdle hydrant hydrogen hyphen ibex ibis iceberg icebox icecap icing icon idea idiom igloo
  iguana image imagery impact impala impetus imprint incline index industry ink inkblot inkstand inning insignia
  instinct integer intercom interval iodine iota iridium ironwork irony islet isotope italic item ivy jackdaw jacket
  jamboree jar jaunt javelin jazz jelly jet jingle joke jolt jonquil journal joy judo juggle juice jump junco kale
  kangaroo karaoke karate katydid kayak keepsake kennel kerchief kestrel ketchup keyboard kickball kickoff kilo
  kilogram kilowatt kimono kinfolk kingdom kiosk kite kitten knack knapsack knoll koala krypton kudos kudzu label
  lacrosse ladder ladle ladybird ladybug lair lambda landfall landmark landmass language lantern lanyard laptop
  lapwing lark lathe latitude laughter launch laundry layout leaflet league leapfrog lectern lecture ledger legacy
  legume leisure lemon lemonade lemur lens lentil letter lettuce lever lexicon liberty life lifeboat lifeline lifetime
  liftoff lighter likeness limeade limo lineage linen lingo linseed lion list literacy lizard lobby lobster locale
  lodestar loft logbook logic logo lollipop longboat longhorn lookout lore loyalty luck luggage lumber lumen lunchbox
  lupine lyric macaroni macaroon macaw mackerel magazine magma magpie mailbag mailbox mainland mainsail maintop
  majesty mallard mandarin mandolin mangrove mansion mantis map maple maraca marathon marble margin marimba marina
  marinade marjoram marker marmot marsh mastiff mastodon match matrix matter maxim mayfly meal meander meaning measure
  meeting megabyte megawatt melody memento memo memoir mention menu meringue merit mesquite metaphor method micron
  midpoint midtown midway mileage milepost milk milkweed millet millpond mimosa minibus minivan minnow mint minuet
  mirror mirth mission mixer model modesty module molecule molehill moment momentum mongoose monocle monogram monolith
  monorail mood moonbeam moorhen moorland moped moraine morsel moss motive motor motorcar motorist motorway motto
  mouser movie mower muesli muffler mural murmur museum music mustang mystery mystique myth name napkin narwhal
  necklace necktie netbook nettle neutrino neutron newscast newt nicety niche nickname nitrogen nod noise nomad noodle
  nook norm north notation notch note notebook notepad notion nougat noun novella nozzle nuance nucleus nudge nugget
  nuthatch oatcake oatmeal obelisk oboe occasion ocelot octet octopus odometer odyssey office offset offshoot oilcloth
  oleander olive omega onion opal opener operetta opinion opossum optimism option opus oration oratorio orb orbit
  oregano origami origin oriole ornament osprey ostrich otter outcome outcrop outfield outfit outline outlook outset
  overcoat overlook overpass overtime overture overview owl owlet oxbow oxcart oxide oxygen oyster ozone padlock page
  pageant paintbox painting palmetto palomino pamphlet panache pancake panda panel panther paper papyrus parabola
  parade paragon parakeet parallax parapet parfait parka parkland parkour parkway parquet parrot parsec parsley
  parsnip partner party passage pasta pastiche pastry pasture pathway patience patina pattern pavement pavlova pawpaw
  peanut peat pebble pedestal pedigree pelican pen pencil pendant penguin pentagon pepper percale percent pergola perk
  permit persona pesto petal petrel petunia pheasant phlox phoenix phone photon phrase piccolo pickle pickup picture
  pigeon pigment pilaf pillar pimento pinafore pinball pinnacle pinpoint pinto pinwheel pipeline pipit pippin pita
  pitch pivot pizza placard place plant plantain plateful platform platter platypus playbill playlist playpen playroom
  plenty plethora plumage plume plunge plywood pocket podium poem poetry point polestar polygon polymer poncho pontoon
  pony pool popcorn popover porpoise porridge port portal porthole portico positron postage postbox poster postmark
  potato potluck potpie praline prance prawn preamble preface prefix pretzel preview primer printer process product
  progress project prologue promise proof prop propane property prospect protein province pudding puddle puffball
  puffin pulley pullover pulsar pulse puppet puree purpose putty puzzle pylon pyrite quail quality quarry quart
  quartet quasar query quest quiche quilt quintet quiver quiz quote rabbit radar radiance radiator radio radish radius
  rafting ragtime rail railroad raincoat raindrop rainfall rally ramble rampart range rapport raster rattle raven
  ravioli reason rebus recap receiver recess recipe recital recliner record redwood reef refinery reflex refrain
  regalia regard regimen region reindeer relay relic relief relish remark remedy repair replica rerun reserve resolve
  resort resource respect response retreat reunion revel revelry reverie rhapsody rhetoric rhino rhodium rhombus
  rhubarb rhythm rice rickshaw ricotta ripple risotto riverbed rivet rivulet roadster roadway roar robin robot roller
  romaine room roomful roost rosebush rosette rotunda routine rover rowan rowboat rubric rucksack rudder rugby rule
  rumba runway rutabaga saddle safety sailfish salad salmon salsa sample sandal sandbank sandbar sandbox sandwich
  sapling sardine sash sashay satchel satin saucepan saucer saunter sawdust sawhorse scale scallion scamper scarf
  scenario scenery schedule scholar schooner scoop scope screen scribble script scroll seabed seabird seacoast
  seafloor seafood seagull seahorse sealant seamount seascape seating seaway sector seedbed seedling seedpod seesaw
  segment seltzer semester seminar semitone sequence sequin serenity series serve shallot shape shawl shed sheen
  sheepdog shelf shellac shepherd sherbet shield shift shimmer shine shipyard shoal shoelace shop shortcut shovel
  showcase showroom showtime shrub shuffle shutter shuttle sidecar sideline sidewalk sieve signet signpost silence
  silicon silkworm silt silver sip sitcom skate skein sketch ski skiff skill skillet skylark slaw sleep sleeve slice
  slipper slogan slush smidgen smile snail snapshot snippet snooker snooze snorkel snowbank snowman snowshoe snowsuit
  soapbox soccer society sock sockeye sofa softball sojourn solace solo solstice sonar song songbird songbook soprano
  sorghum sound soup souvenir soybean space spangle spaniel spark sparkle sparrow spatula speaker speech speedway
  spelling sphere spheroid spigot spin spinach spindle spinet spire splash spoke sponge spoon spoonful spot spray
  sprig sprinkle sprint sprocket sprout squad squall squiggle squirrel stack stage stamen standard stanza staple star
  starch stardom stardust starfish starling station statue steed stereo sticker stingray stitch stopover storage stove
  strainer strand strategy stratus streamer street strength stretch string stripe stroller strudel stucco stunt
  sturgeon stylus subset subtext subtitle suburb suds suffix sugar suit suitcase sultana sumac summary summer sunblock
  sunburst sundae sundeck sundown sunfish sunroof sunspot sunup supper supply surface surfing surplus surprise sushi
  swamp swan swatch sweater swirl syllable symmetry synonym synopsis syntax synth syrup tablet tactic tadpole taffy
  tagline tailwind talent tallow tanager tangelo tangent tango tankard tanker tansy tapioca tapir taproot taro
  tarragon task taste taxi taxicab teacup teamwork teapot teardrop teaspoon teatime telegram tempest template tempura
  tendril tenor tent tenure terminus terrain terrier tether textbook texture thatch thaw theme theorem thesis thistle
  thought thread thrift thriller thud tiara tiger tilde timeline tinfoil tinkle tinware titanium title toast toboggan
  today toffee tofu toga toggle tollgate tollway tomato tomorrow toolbox topiary topic topknot topology topsoil torch
  tortilla tortoise torus toucan tour tourism towline town township trace tractor trailer train transept transit
  trapeze tray treacle treat treatise tree trefoil trellis trend trestle triangle tribune trickle tricycle trident
  trifle trike trill trilogy trinket trio triplet tripod triumph trivia trombone trophy trough trout trowel truck
  truth tuba tuft tugboat tumble tune tungsten tunnel turbine tureen turn turnip turnout turnpike turtle tutorial
  tuxedo twang tweed twig twine twist typeface ukulele unicorn unicycle unity universe upkeep uplift upside upswing
  upwind urchin usage utensil vacuum valise van variety varnish vase vehicle vellum velvet veneer venture venue verb
  verse version vetch vicinity victory view vignette village vine vinegar vinyl viola violin vireo virtue vision visit
  visor voice volcano vole voltage volume vortex vowel voyager waffle wagon walkway wallaby walrus waltz warbler
  wardrobe warmth wasabi washbowl washer watchdog water waterway watt waxwing waxwork web weblog west wetland wheel
  whim whisk whoosh wick wicket wildcat wildfowl wildlife willow window windsock wingspan winter wisdom wisp wobble
  wolf wombat wonder woodbine woodcut woodpile word wordplay workbook workload workout workroom workshop wren wrench
  xenon yacht yak yarn year yearbook yearling youth yucca zebra zebu zeppelin zircon zither
`
  .trim()
  .split(/\s+/)
