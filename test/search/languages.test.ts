import { beforeAll, expect, test } from 'vitest'
import { remember } from '../support/seed.ts'
import { freshTenant, withService } from '../support/service.ts'

const service = withService()

/** Questions by words, each with the memory that answers it. */
const languages: Record<string, readonly (readonly [question: string, memory: string])[]> = {
  English: [
    ['Who connected the printer?', 'The connections of the printer are loose'],
    ['collect stamps', 'A collection of stamps lies in the attic'],
    ['Which offers were rejected?', 'Two rejections came by letter'],
    ['adopted', 'The adoption of the dog took a year'],
    ['instruct', 'The instructions hang on the wall'],
    ['objected', 'Nobody had an objection to the date'],
    ['directing', 'The directions to the cabin are in the car'],
    ['promoted', 'Her promotion was in May'],
    ['babies', 'The baby sleeps through the night'],
    ['running shoes', 'A new shoe for the run'],
  ],
  German: [
    ['Wo liegen die Hausschlüssel?', 'Der Hausschlüssel liegt unter der Matte'],
    ['alte Häuser', 'Das Haus meiner Großmutter ist sehr alt'],
    ['Wann fahren die Züge nach Köln?', 'Der Zug nach Köln fährt um acht Uhr'],
    ['grosse Strassen', 'Die Straße vor dem Büro ist sehr groß'],
    ['Welche Bücher hat Jürgen gelesen?', 'Jürgen hat das Buch über Vögel gelesen'],
    ['Katzen füttern', 'Die Katze wird morgens gefüttert'],
    ['Rechnungen bezahlen', 'Die Rechnung der Werkstatt ist bezahlt'],
    ['Kindergärten', 'Der Kindergarten schließt um vier'],
    ['Äpfel', 'Im Keller steht eine Kiste mit einem Apfel'],
    ['Passwörter der Datenbanken', 'Das Passwort der Datenbank wird im Mai geändert'],
  ],
  French: [
    ['Où sont les clés de la maison ?', 'La clé de la maison est chez le voisin'],
    ['les chevaux', 'Le cheval de Claire dort dans le pré'],
    ['réunions annulées', 'La réunion de lundi est annulée'],
    ['ecole', 'Notre école ferme en juillet'],
    ["Qui a réparé l'ordinateur ?", "L'ordinateur de Paul est réparé"],
    ['vols réservés', 'Le vol pour Nice est réservé'],
    ['factures', 'La facture du garage arrive demain'],
    ['francaises', 'Une recette française de sa grand-mère'],
    ['mots de passe', 'Le mot de passe du réseau change en mai'],
    ['jardins', 'Le jardin donne sur la rivière'],
  ],
  Spanish: [
    ['¿Dónde están las llaves?', 'La llave está en el cajón'],
    ['jose', 'José vive en Sevilla'],
    ['gatos negros', 'El gato negro duerme en el sofá'],
    ['reuniones', 'La reunión del lunes se canceló'],
    ['contraseñas', 'La contraseña de la red cambia en mayo'],
    ['contrasena', 'La contraseña de la red cambia en mayo'],
    ['libros prestados', 'El libro prestado es de Ana'],
    ['niños', 'El niño juega en el parque'],
    ['facturas pagadas', 'La factura del taller está pagada'],
    ['canciones', 'Su canción preferida es muy vieja'],
  ],
  Portuguese: [
    ['Onde estão as chaves?', 'A chave está na gaveta da cozinha'],
    ['reuniões', 'A reunião de segunda foi cancelada'],
    ['Joao', 'João mora no Porto'],
    ['senhas', 'A senha da rede muda em maio'],
    ['gatos pretos', 'O gato preto dorme no sofá'],
    ['canções', 'A canção preferida dela é antiga'],
    ['livros emprestados', 'O livro emprestado é da Ana'],
    ['crianças', 'A criança brinca no parque'],
    ['faturas pagas', 'A fatura da oficina está paga'],
    ['médicos', 'O médico atende às nove horas'],
  ],
  Russian: [
    ['Где лежат ключи?', 'Ключ лежит под ковриком'],
    ['кошки', 'Кошка спит на диване'],
    ['книгами', 'Эта книга написана в прошлом веке'],
    ['поезда', 'Поезд отправляется в восемь часов'],
    ['пароли', 'Пароль от сети меняется в мае'],
    ['встречу', 'Встреча с врачом назначена на среду'],
    ['деревья', 'Дерево в саду посадил дед'],
    ['оплаченные счета', 'Счёт из мастерской оплачен'],
    ['машину', 'Машина стоит в гараже'],
    ['больницы', 'Больница закрыта на ремонт'],
  ],
  Chinese: [
    ['钥匙在哪里？', '钥匙在门口的垫子下面'],
    ['绿茶', '我喜欢喝绿茶'],
    ['会议时间', '下周的会议时间是星期三上午'],
    ['数据库密码', '数据库的密码五月份更换'],
    ['猫', '一只黑猫睡在沙发上'],
    ['北京火车', '去北京的火车八点出发'],
    ['医生预约', '医生的预约在五月十四日'],
    ['祖母食谱', '祖母的食谱在厨房抽屉里'],
    ['车库', '汽车停在车库里'],
    ['护照到期', '我的护照明年十月到期'],
  ],
  Japanese: [
    ['鍵はどこ', '鍵は玄関のマットの下にある'],
    ['緑茶', '父は緑茶が好きだ'],
    ['会議の時間', '来週の会議の時間は水曜日の朝'],
    ['パスワード', 'データベースのパスワードは五月に変わる'],
    ['猫', '東京で猫が眠っている'],
    ['京都 電車', '京都行きの電車は八時に出る'],
    ['医者の予約', '医者の予約は五月十四日'],
    ['レシピ', '祖母のレシピは引き出しにある'],
    ['ﾈｺｶﾌｪ', '駅前にネコカフェがある'],
    ['旅券', '旅券は来年の十月に切れる'],
  ],
  Korean: [
    ['열쇠 어디', '열쇠는 현관 매트 아래에 있다'],
    ['커피', '서울에서 커피를 마신다'],
    ['회의 시간', '다음 주 회의는 수요일 시간으로 옮겼다'],
    ['비밀번호', '데이터베이스의 비밀번호가 오월에 바뀐다'],
    ['고양이', '검은 고양이가 소파에서 잔다'],
    ['부산 기차', '부산으로 가는 기차는 여덟 시에 떠난다'],
    ['의사 예약', '의사의 예약은 오월 십사일이다'],
    ['할머니 요리법', '할머니의 요리법은 서랍에 있다'],
    ['자동차', '자동차를 차고에 세웠다'],
    ['여권', '여권이 내년 시월에 만료된다'],
  ],
  Hindi: [
    ['चाबी कहाँ है', 'चाबी दरवाज़े की चटाई के नीचे है'],
    ['किताबें', 'मेज़ पर एक पुरानी किताब रखी है'],
    ['बिल्ली', 'काली बिल्ली सोफ़े पर सोती है'],
    ['बैठक बुधवार', 'अगली बैठक बुधवार को होगी'],
    ['पासवर्ड', 'डेटाबेस का पासवर्ड मई में बदलेगा'],
    ['दिल्ली ट्रेन', 'दिल्ली की ट्रेन आठ बजे जाती है'],
    ['डॉक्टर', 'डॉक्टर से चौदह मई को मिलना है'],
    ['दादी व्यंजन', 'दादी का व्यंजन रसोई की दराज में है'],
    ['गाड़ी', 'गाड़ी गैराज में खड़ी है'],
    ['लड़कों', 'वह लड़का मैदान में खेलता है'],
  ],
  Arabic: [
    ['أين المفتاح', 'المفتاح تحت سجادة الباب'],
    ['القطة', 'تنام قطة سوداء على الأريكة'],
    ['الكتب', 'هذه الكتب قديمة جدا'],
    ['الاجتماع', 'تأجل اجتماع الفريق إلى الأربعاء'],
    ['كلمة السر', 'تتغير كلمة السر للشبكة في مايو'],
    ['قطار القاهرة', 'يغادر قطار القاهرة في الثامنة'],
    ['الطبيب', 'موعد الطبيب يوم الخميس'],
    ['وصفة جدتي', 'وصفة جدتي في درج المطبخ'],
    ['السيارة', 'سيارة أخي في المرآب'],
    ['جواز السفر', 'ينتهي جواز السفر في أكتوبر'],
  ],
  Thai: [
    ['กุญแจอยู่ที่ไหน', 'กุญแจอยู่ใต้พรมหน้าประตู'],
    ['แมว', 'แมวดำนอนหลับบนโซฟา'],
    ['ชาเขียว', 'พ่อชอบดื่มชาเขียว'],
    ['ประชุมวันพุธ', 'ทีมงานมีประชุมวันพุธหน้า'],
    ['รหัสผ่าน', 'รหัสผ่านของฐานข้อมูลเปลี่ยนในเดือนพฤษภาคม'],
    ['รถไฟเชียงใหม่', 'รถไฟไปเชียงใหม่ออกแปดโมง'],
    ['นัดหมอ', 'วันที่สิบสี่มีนัดหมอฟัน'],
    ['สูตรอาหารของยาย', 'สูตรอาหารของยายอยู่ในลิ้นชัก'],
    ['รถยนต์', 'จอดรถยนต์ไว้ในโรงรถ'],
    ['หนังสือเดินทาง', 'หนังสือเดินทางหมดอายุเดือนตุลาคม'],
  ],
}

const firstFor = async (query: string, client = service.client) => {
  const { results } = await client.searchMemories({ query, search_type: 'keyword', limit: 1 })
  return results[0]?.memory.content
}

test.each(Object.entries(languages))('%s: at least nine of ten answers are first', async (_, rows) => {
  const client = service.clientOf(freshTenant())
  await remember(client, [...new Set(rows.map(([, memory]) => memory))])
  const missed: string[] = []
  for (const [question, memory] of rows)
    if ((await firstFor(question, client)) !== memory) missed.push(question)
  expect(missed.length, missed.join(' · ')).toBeLessThanOrEqual(1)
})

const names: readonly (readonly [query: string, content: string])[] = [
  ['OPENAI_API_KEY', 'Set OPENAI_API_KEY before the start'],
  ['openai key', 'Set OPENAI_API_KEY before the start'],
  ['config.yaml', 'The ports stand in config.yaml'],
  ['config', 'The ports stand in config.yaml'],
  ['getUserName', 'Call getUserName with the session'],
  ['getusername', 'Call getUserName with the session'],
  ['user name', 'Call getUserName with the session'],
  ['github.com/anna/parser', 'The code is at github.com/anna/parser now'],
  ['parser', 'The code is at github.com/anna/parser now'],
  ['node.js', 'The bridge runs on node.js alone'],
  ['keyword_search', 'The ranking is in src/keyword_search.ts'],
  ['keyword_search.ts', 'The ranking is in src/keyword_search.ts'],
  ['1.2.3', 'Version v1.2.3 broke the build'],
  ['v1.2.3', 'Version v1.2.3 broke the build'],
  ['ann@example.org', 'Write to ann@example.org about it'],
  ['C++', 'The old engine is in C++'],
  ['C#', 'The new engine is in C#'],
  ['🎸', 'A present for Tom: 🎸'],
  ['→', 'Build → test → ship'],
  ['€', 'The lamp costs 40 €'],
  ['to be or not to be', 'To be or not to be, he said'],
  ['IT', 'Nobody in the IT department answers'],
  ['ＦＵＬＬ', 'A full moon on Friday'],
  ['ﬁnal', 'The final whistle'],
  ['jose', 'José plays chess'],
  ['José', 'José plays chess'],
]

beforeAll(async () => {
  await remember(service.client, [...new Set(names.map(([, content]) => content))])
})

test.each(names)('“%s” finds “%s” first', async (query, content) => {
  expect(await firstFor(query)).toBe(content)
})

test('of two spellings the one that was asked for is first', async () => {
  await remember(service.client, ['Andre waits at the ferry terminal', 'André waits at the ferry terminal'])
  expect(await firstFor('André ferry terminal')).toBe('André waits at the ferry terminal')
})
